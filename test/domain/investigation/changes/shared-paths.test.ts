import { describe, expect, it } from 'vitest'
import { quotedSentence } from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import { first, judge, merged, of, says, settings } from '../ranking-by-hand.ts'

const WRITES = [
  ' ROOT = Path("/srv/shelves")',
  '-    path.write_bytes(data)',
  '+    fd, tmp = tempfile.mkstemp(dir=path.parent)',
  '+    os.replace(tmp, path)',
].join('\n')
const SAYS = 'open /srv/shelves/7/label.png: permission denied'

/** Made by somebody whom no call connects with the failing place. */
const written = (diff = WRITES, id = 'a') => settings(id, 80, { kind: 'commit', entity: 'billing', diff })
const found = (said: string, diff = WRITES, more: Partial<Symptom> = {}) =>
  first([written(diff)], [says(said, more)]).quoted

describe('a folder that one service writes in and another cannot read from', () => {
  it('links the change of who writes there, though no call connects the two', () => {
    const symptom = says(SAYS)
    const entry = first([written()], [symptom])
    expect(entry.quoted).toEqual({ name: '/srv/shelves', symptom, how: 'stores' })
    expect(entry.place).toBe(0.7)
    expect(quotedSentence(entry)).toContain('has to do with files in “/srv/shelves”')
    expect(first([written()], [says('permission denied')]).place).toBeLessThan(0.7)
  })

  it.each([
    ["Error: EACCES: permission denied, open '/srv/shelves/7.png'"],
    ['PermissionError: [Errno 13] Permission denied: "/srv/shelves/7.png"'],
    ['FileNotFoundError: No such file or directory: /srv/shelves/7.png'],
    ['could not open /srv/shelves'],
    ['EROFS: /srv/shelves/7/a.tmp'],
  ])('is found in %j', (said) => {
    expect(found(said)).toMatchObject({ name: '/srv/shelves', how: 'stores' })
  })

  it.each([
    ['rights', '+  os.chmod("/srv/shelves", 0o600)'],
    ['an owner', '   mountPath: /srv/shelves\n-  fsGroup: 1000\n+  fsGroup: 2000'],
    ['a name', '   const root = "/srv/shelves"\n+  await rename(tmp, path)'],
    ['a new file', '   root := "/srv/shelves"\n+\tf, err := os.CreateTemp(root, "x")'],
  ])('is written in by who sets %s', (_what, diff) => {
    expect(found(SAYS, diff)).toMatchObject({ name: '/srv/shelves' })
  })

  it('is an object’s folder in a store as well', () => {
    const put = '   const root = "s3://shelves/labels"\n+  await putObject(root)'
    expect(found('AccessDenied: s3://shelves/labels/7.png', put)).toMatchObject({
      name: 's3://shelves/labels',
    })
    expect(found('AccessDenied: s3://shelves/other/7.png', put)).toBeNull()
  })

  it('holds what could not be read: neighbours and parts of names do not', () => {
    expect(found('open /srv/shelves2/7.png: permission denied')).toBeNull()
    expect(found('open /srv/tables/7.png: permission denied')).toBeNull()
    expect(found('open /srv: permission denied')).toBeNull()
    expect(found('open /mnt/srv/shelves/7.png: permission denied')).toBeNull()
  })

  it('is a folder that may be shared: those of each machine and image, and paths of addresses, are not', () => {
    for (const root of [
      '/app/config',
      '/tmp/shelves',
      '/usr/share',
      '/etc/shelves',
      '/var/log/shelves',
      '/home/a',
    ])
      expect(found(`open ${root}/7.png: permission denied`, WRITES.replace('/srv/shelves', root))).toBeNull()
    expect(found('permission denied: https://a.example/srv/shelves/7.png')).toBeNull()
  })

  it('is named by an error of a file of the failing place itself', () => {
    expect(found('GET /srv/shelves/7.png took 30 ms')).toBeNull()
    expect(found(SAYS, WRITES, { weight: 0.49 })).toBeNull()
    expect(found(SAYS, WRITES, { origin: 'alert' })).toBeNull()
  })

  it('is written in: a change that only reads there or does something else is none', () => {
    expect(found(SAYS, ' ROOT = Path("/srv/shelves")\n-  days = 5\n+  days = 7')).toBeNull()
    expect(found(SAYS, '-    path.write_bytes(data)\n+    os.replace(tmp, path)')).toBeNull()
  })

  it('tells nothing where another change writes there too', () => {
    const both = judge([written(), written(WRITES, 'b')], [says(SAYS)])
    expect(both.ranked.map(({ quoted }) => quoted)).toEqual([null, null])
    const apart = judge([written(), merged('b', 60, WRITES.replace('shelves', 'tables'))], [says(SAYS)])
    expect(of(apart.ranked, 'a').quoted).not.toBeNull()
  })
})
