/**
 * A folder that one change writes in and that what fails cannot read from.
 *
 * Method: two services that share a folder need not call each other, so no call says that they have to do with each other;
 * the path does. Who is on call and sees “open /srv/media/7.webp: permission denied” searches what was changed for /srv/media.
 * Rights, owners, names and places of files come from who writes them (POSIX, open() and rename()). The path that a diff names
 * has to hold the one that the error names; folders that every machine or image has of its own are shared with nobody. What
 * several changes write in tells none of them.
 */
import { isOwnLine, type Symptom } from '../place/symptoms.ts'
import type { Change } from '../records/snapshot.ts'
import { stepsOf } from './closeness.ts'
import type { RankedChange } from './ranked-change.ts'
import type { DiffReading } from './read-diff.ts'

/** A path from the root on, or of an object in a store, of two parts at least; no part of an address. */
const PATH = /(?<![\w./:~$}-])(?:(?:s3|gs|abfss?):\/)?(?:\/[\w.@%+=-]{1,100}){2,20}/g
/**
 * What says that a file could not be opened, read or found.
 * @see https://man7.org/linux/man-pages/man3/errno.3.html
 */
const FILE_ERROR =
  /permission denied|operation not permitted|\b(?:EACCES|EPERM|ENOENT|ENOTDIR|EISDIR|EROFS|ESTALE|ENOSPC)\b|no such file|(?:file|path|directory) (?:was )?not found|not a directory|is a directory|stale file handle|(?:cannot|can't|could not|failed to) (?:open|read|stat|access)\b|FileNotFound|NoSuchFile|AccessDenied|NoSuchKey/i
/** Folders that each machine and each image has of its own: the same path elsewhere is another folder. */
const OF_EACH =
  /^\/(?:app|bin|boot|code|dev|etc|home|lib\d*|proc|root|run|sbin|sys|tmp|usr|workdir|workspace|var\/(?:cache|lock|log|run|spool|tmp)|opt\/(?:app|bin))(?:\/|$)/i
/**
 * What makes, moves or removes files, or says whose they are.
 * @see https://docs.python.org/3/library/tempfile.html#tempfile.mkstemp
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/security-context/
 */
const FILE_WORK =
  /\bmkd?s?temp\b|TempFile\b|CreateTemp\b|write_?(?:bytes|text|file|stream)|\bos\.(?:replace|rename|Rename|Create|OpenFile|Mkdir|remove|Remove)|\brename(?:Sync)?\(|\bchmod\b|\bchown\b|\bumask\b|\bsetfacl\b|\bmkdir|makedirs|\bunlink|\bshutil\.|copy_?file|\bFiles\.(?:write|move|copy|create|delete)|\bopen\([^)]*["'][wax]b?\+?["']|\bput_?object|\b(?:fsGroup|runAs(?:User|Group)|defaultMode|readOnly|mountPath|subPath)\b|\b0o?[0-7]{3}\b/i

/** Paths that a text names and that may be shared. */
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(PATH)].flatMap(([path]) => (OF_EACH.test(path) ? [] : [path]))

/** Whether the folder is the path or holds it. */
const holds = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** Folders that the diff of a change which has to do with files names, in what it changes and around it. */
function foldersOf({ removed, added, surroundings }: DiffReading): readonly string[] {
  const changed = [...removed, ...added]
  return changed.some((line) => FILE_WORK.test(line)) ? [...changed, ...surroundings].flatMap(pathsIn) : []
}

/**
 * For each change the folder that it writes in and that what fails could not read from, where no unlike change writes there.
 * @param symptoms the heaviest first
 */
export function sharedPaths(
  diffs: ReadonlyMap<Change, DiffReading>,
  symptoms: readonly Symptom[],
): (change: Change) => RankedChange['quoted'] {
  const said = symptoms.flatMap((symptom) =>
    isOwnLine(symptom) && FILE_ERROR.test(symptom.text)
      ? pathsIn(symptom.text).map((path) => ({ path, symptom }))
      : [],
  )
  const found = new Map<Change, NonNullable<RankedChange['quoted']>>()
  for (const [change, diff] of said.length === 0 ? [] : diffs) {
    const folders = foldersOf(diff)
    for (const { path, symptom } of said) {
      const name = folders.find((folder) => holds(folder, path))
      if (name !== undefined && !found.has(change)) found.set(change, { name, symptom, how: 'stores' })
    }
  }
  const isOne = new Set([...found.keys()].map(stepsOf)).size === 1
  return (change) => (isOne ? (found.get(change) ?? null) : null)
}
