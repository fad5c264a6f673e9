/**
 * What another base image can break: services are built on an image that brings the runtime, the C library, the library for
 * encrypted connections, the trusted roots and the programs that are started, and a Dockerfile shows its name and tag alone.
 *
 * Method: as with libraries (`bumped-libraries.ts`), what the image is for is paired with what is observed when that works
 * otherwise, in the words of those who make it. Another leading number or another release of the distribution is not
 * compatible; any other tag seldom is not.
 */
import { COMPATIBLE, INCOMPATIBLE } from './bumped-libraries.ts'
import type { Mechanism } from './mechanism.ts'
import type { DiffReading } from './read-diff.ts'

/**
 * What those see whose image works otherwise.
 * @see https://docs.openssl.org/master/man7/ossl-guide-migration/
 * @see https://wiki.musl-libc.org/functional-differences-from-glibc.html
 */
export const BASED_IMAGE: Omit<Mechanism, 'in_diff'> = {
  id: 'based-image',
  does: 'is built on another image',
  kind: 'dependency',
  symptom:
    /unsupported protocol|legacy renegotiation|key too small|no protocols available|no shared cipher|\bSSL routines\b|handshake|x509|certificate|digital envelope|\bGLIBC|shared (?:object|librar)|symbol not found|exec format|executable file not found|unrecognized (?:vm )?option|unknown time ?zone|illegal instruction/i,
  general: /\bEPROTO\b|\btls\b|\bssl\b|not found|no such file|unsupported/i,
}

/** `FROM [--platform=…] name[:tag][@digest] [AS stage]`, Dockerfile reference; bounded, as anybody's text is. */
const FROM =
  /^FROM (?:--platform=\S{1,60} )?([^\s:@]{1,200})(?::([\w.-]{1,128}))?(?:@\S{1,80})?(?: AS \S{1,80})?$/i
/** The leading number of a tag, and the word by which a distribution calls a release. */
const NUMBER = /^v?(\d{1,6})/
const RELEASE =
  /\b(?:buster|bullseye|bookworm|trixie|focal|jammy|noble|alpine(?:3\.\d{1,2})?|ubi\d|el\d|windowsservercore|nanoserver)\b/i

/** Nearly every line begins otherwise, and need not be put in the form that is read. */
const BEGINS = /^\s*FROM\s/i

const imagesIn = (lines: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    lines.flatMap((line) => {
      if (!BEGINS.test(line)) return []
      const [, name, tag = ''] = FROM.exec(line.trim().replace(/\s+/g, ' ')) ?? []
      return name === undefined ? [] : [[name.toLowerCase(), tag.toLowerCase()] as const]
    }),
  )

const partsOf = (tag: string): string => JSON.stringify([NUMBER.exec(tag)?.[1], RELEASE.exec(tag)?.[0]])

/** How surely a diff puts what is built on another image, so that something of it works otherwise, 0 to 1. */
export function isBasedAnew({ removed, added }: DiffReading): number {
  const before = imagesIn(removed)
  let sure = 0
  for (const [name, tag] of imagesIn(added)) {
    const old = before.get(name)
    if (before.size === 0 || old === tag) continue
    // Another image altogether is nothing that anybody promised to be compatible.
    sure = Math.max(sure, old !== undefined && partsOf(old) === partsOf(tag) ? COMPATIBLE : INCOMPATIBLE)
  }
  return sure
}
