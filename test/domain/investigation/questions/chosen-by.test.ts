import { expect, it } from 'vitest'
import { chosenBy } from '#shared/domain/investigation/questions/chosen-by.ts'

it.each([
  ['which incidents were opened by alerts', 'opened by alerts'],
  ['list incidents raised by pagerduty since monday', 'raised by pagerduty'],
  ['incidents caused by a deploy, please', 'caused by a deploy'],
  ['how many incidents lasted longer than two hours last week', 'lasted longer than two hours'],
  ['which incidents are assigned to mara', 'assigned to mara'],
  ['incidents without a root cause in october', 'without a root cause'],
  ['which ones were opened automatically?', 'opened automatically'],
])('%s: nothing chooses incidents by that', (plain, by) => {
  expect(chosenBy(plain)).toBe(by)
})

it.each([
  'which incidents are open',
  'list critical incidents of checkout and payments since yesterday',
  'were there more than five incidents last week',
  'which incidents were resolved by 5 pm',
  'incidents opened today',
  'how many incidents were closed last month',
])('%s: is chosen by what incidents can be chosen by', (plain) => {
  expect(chosenBy(plain)).toBeNull()
})
