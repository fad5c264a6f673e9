/**
 * What can break by building the same source in another way: what is fetched while an image is built is not what was fetched
 * before, wherever no version of it is written down, and neither the source nor any manifest shows it.
 *
 * Method: as with images and libraries (`based-images.ts`, `bumped-libraries.ts`), what the diff does is paired with what is
 * then observed. Every line that is touched tells how packages get into what runs: an earlier step that is taken anew, a cache
 * that is begun or left, fetched instead of kept (docs.docker.com, Build cache invalidation; pip.pypa.io, Repeatable
 * Installs; npm, npm-ci). What then fails is one piece of code that does not fit another, as a rule inside of a
 * package. The files alone do not do: a pipeline is mostly about other things.
 */
import type { Mechanism } from './mechanism.ts'
import type { DiffReading } from './read-diff.ts'

/** How one piece of code that does not fit another shows, in the words of runtimes and linkers. */
export const MISFITS =
  /nosuchmethod|nosuchfield|classnotfound|noclassdef|abstractmethod|importerror|cannot import name|modulenotfound|cannot find (?:module|package)|undefined symbol|undefined method|has no attribute|is not a function|(?:missing|takes) \d{1,2} (?:required )?(?:positional )?arguments?|unexpected keyword argument|wrong number of arguments|incompatib|unsupported|deprecated|linkage|glibc|shared (object|librar)|version mismatch/i

/** What those see for whom other packages were fetched. */
export const BUILT_OTHERWISE: Omit<Mechanism, 'in_diff'> = {
  id: 'built-otherwise',
  does: 'builds what runs in another way, so that other packages may get into it',
  kind: 'dependency',
  symptom: MISFITS,
  general: /\b(?:site-packages|dist-packages|node_modules|gems|vendor)\b|\/\.m2\/|\bversion\b|undefined/i,
}

/** Files that say how something is built. */
const BUILD_FILE =
  /(?:^|\/)(?:[\w.-]{0,80}Dockerfile[\w.-]{0,80}|Containerfile|Makefile|Earthfile|Jenkinsfile|cloudbuild\.ya?ml|\.gitlab-ci\.yml|\.npmrc|pip\.conf|\.dockerignore)$|(?:^|\/)\.(?:github\/workflows|circleci|buildkite)\//i
/** Programs that fetch packages, and what keeps or passes over what they fetched. */
const FETCHES =
  /\b(?:pip3?|pipenv|poetry|uv|conda|npm|yarn|pnpm|bundle|gem|composer|apt(?:-get)?|apk|yum|dnf|mvn|gradle|cargo|go) (?:[\w-]{1,20} )?(?:install|ci|add|get|sync|update|upgrade|fetch|download|build|resolve|package)\b|--(?:no-cache|pull|upgrade|frozen-lockfile|no-lockfile|mount=type=cache|cache-from)\b/i
/** How surely other packages get into what runs: most is written down with its version by most. */
const LIKELY = 0.6

/** How surely a diff builds the same source in another way, 0 to 1. */
export const isBuiltOtherwise = ({ files, removed, added }: DiffReading): number =>
  files.length > 0 &&
  files.every((path) => BUILD_FILE.test(path)) &&
  [...removed, ...added].some((line) => FETCHES.test(line))
    ? LIKELY
    : 0
