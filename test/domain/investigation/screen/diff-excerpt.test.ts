import { expect, it } from 'vitest'
import { diffExcerpt } from '#shared/domain/investigation/screen/diff-excerpt.ts'

it('shows each file above its lines, and lines of no known file by themselves', () => {
  expect(
    diffExcerpt([
      { file: 'a.ts', lines: ['-one', '+two'] },
      { file: null, lines: ['+three'] },
    ]),
  ).toEqual(['a.ts', '-one', '+two', '+three'])
})

it('shows nothing where no line decides, and of findings that give none', () => {
  expect(diffExcerpt([])).toEqual([])
  expect(diffExcerpt()).toEqual([])
})
