import { describe, expect, it } from 'vitest'
import { isBuiltOtherwise } from '#shared/domain/investigation/changes/built-otherwise.ts'
import { strongestMechanism } from '#shared/domain/investigation/changes/fitting-mechanism.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'

const symptom = (plain: string): Symptom => ({ plain, weight: 1 }) as Symptom
const built = (line: string, ...files: string[]) =>
  readDiff(`@@ -1 +1 @@\n-WORKDIR /srv\n+${line}`, files.length === 0 ? ['api/Dockerfile'] : files)
const sure = (line: string, ...files: string[]) => isBuiltOtherwise(built(line, ...files))

describe('what is built in another way', () => {
  it.each([
    'RUN pip install -r requirements.txt',
    'RUN --mount=type=cache,target=/var/cache/gems bundle install',
    'RUN npm ci',
    'RUN yarn global add left',
    'RUN apt-get -y update',
    'RUN go mod download',
    'RUN mvn -o package',
    'docker build --no-cache .',
    'docker build --pull .',
    'RUN pnpm fetch',
    'RUN poetry sync',
  ])('may hold other packages where the way that they are fetched is another: %s', (line) => {
    expect(sure(line)).toBe(0.6)
  })

  it('is so by what is left as by what is new', () => {
    const left = readDiff('@@ -1 +1 @@\n-RUN npm ci\n+RUN make ready', ['Dockerfile'])
    expect(isBuiltOtherwise(left)).toBe(0.6)
  })

  it('is not so where nothing is fetched', () => {
    for (const line of ['RUN make', 'ENV PIP=1', 'COPY . .', 'RUN pip --version', 'RUN echo installed'])
      expect(sure(line)).toBe(0)
  })

  it.each([
    'Dockerfile',
    'a/b/web.Dockerfile',
    'Dockerfile.prod',
    'Containerfile',
    'ops/Makefile',
    'Jenkinsfile',
    'Earthfile',
    'cloudbuild.yaml',
    '.gitlab-ci.yml',
    '.npmrc',
    'etc/pip.conf',
    '.dockerignore',
    '.github/workflows/build.yml',
    'x/.circleci/config.yml',
    '.buildkite/pipeline.yml',
  ])('is told by a file that says how something is built, as %s', (path) => {
    expect(sure('RUN npm ci', path)).toBe(0.6)
    expect(sure('RUN npm ci', path, 'src/main.ts')).toBe(0)
  })

  it('is told by no other file, and by none', () => {
    for (const path of ['src/main.ts', 'Dockerfile/readme.md', 'Makefile.ts', 'docs/github/workflows/a.yml'])
      expect(sure('RUN npm ci', path)).toBe(0)
    expect(isBuiltOtherwise(readDiff('+RUN npm ci', []))).toBe(0)
  })

  it.each([
    "TypeError: sign() missing 1 required positional argument: 'key'",
    'TypeError: parse() takes 2 positional arguments but 3 were given',
    "TypeError: dump() got an unexpected keyword argument 'sort'",
    'ArgumentError: wrong number of arguments (given 1, expected 2)',
    "ImportError: cannot import name 'Loader'",
    "Error: Cannot find module 'left'",
    'Error: Cannot find package "left"',
    "AttributeError: module 'x' has no attribute 'y'",
    'java.lang.NoSuchMethodError: a.b()',
    'undefined symbol: gnutls_x',
  ])('shows as code that does not fit: %s', (text) => {
    expect(strongestMechanism(built('RUN npm ci'), [symptom(text)])).toMatchObject({
      mechanism: {
        ...{ id: 'built-otherwise', kind: 'dependency' },
        does: 'builds what runs in another way, so that other packages may get into it',
      },
      score: 0.6,
    })
  })

  it('shows less surely inside of a package, and not in what else fails', () => {
    const score = (text: string) => strongestMechanism(built('RUN npm ci'), [symptom(text)])?.score ?? 0
    expect(score('boom at /srv/node_modules/left/index.js')).toBeCloseTo(0.6 * 0.35, 6)
    for (const folder of ['site-packages', 'dist-packages', 'gems', 'vendor', '.m2'])
      expect(score(`boom in a/${folder}/x`)).toBeGreaterThan(0)
    expect(score('the shelf is green')).toBe(0)
  })
})
