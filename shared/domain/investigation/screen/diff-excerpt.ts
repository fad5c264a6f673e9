/** The decisive lines of a change as a screen shows them: below the name of their file, in the order of the diff. */

import type { DiffExcerpt } from '../findings.ts'

/** Lines of text; findings of old engines give none. */
export const diffExcerpt = (excerpts: readonly DiffExcerpt[] = []): readonly string[] =>
  excerpts.flatMap(({ file, lines }) => [...(file === null ? [] : [file]), ...lines])
