import { describe, expect, it } from 'vitest'
import {
  asksOfRecord,
  personAsked,
  recordAsked,
  versionAsked,
} from '#shared/domain/investigation/questions/asked-record.ts'

describe('a record that is asked for by its name', () => {
  it.each([
    ['tell me about v42', 'v42'],
    ['show me release 2.19.0.', '2.19.0'],
    ['what is pr 4471 about', '4471'],
    ["what's in build 8812", '8812'],
    ['details on deploy-holds-31', 'deploy-holds-31'],
    ['what do we know about the flag new_shelf_order', 'new_shelf_order'],
    ['who shipped v42', 'v42'],
    ['who put 2.19.0 out', '2.19.0'],
    ['who turned on new_shelf_order', 'new_shelf_order'],
    ['what did commit 5d0c7ae1 do', '5d0c7ae1'],
    ['what is commit deadbeef', 'deadbeef'],
    ['when was 2.19.0 rolled out to stock', '2.19.0'],
    ['is new_shelf_order enabled', 'new_shelf_order'],
    ['#616?', '#616'],
    ['v42', 'v42'],
    ['what changed between v41 and v42 of stock', 'v42'],
    ['what changed from 1.4.1 to 1.4.2', '1.4.2'],
    ['what is different between version 1.4.1 and version 1.4.2', '1.4.2'],
    ['what changed between 5d0c7ae1 and e4b27d90', 'e4b27d90'],
  ])('of “%s” is %s', (plain, name) => {
    expect(recordAsked(plain)).toBe(name)
    expect(asksOfRecord(plain)).toBe(true)
  })

  it.each([
    ['the warehouse-api?'],
    ['tell me about the outage'],
    ['what changed'],
    ['how many 502s since 14:00'],
    ['who shipped it'],
    ['tell me about facade'],
    ['what changed between 10.30 and 11.15'],
    ['what changed between 14:00 and 15:00'],
    ['what changed from 10 to 11'],
    ['is it over'],
  ])('is none of “%s”', (plain) => {
    expect(recordAsked(plain)).toBeNull()
  })

  it('may be the last of its kind, or all of a person', () => {
    expect(asksOfRecord('what did the hotfix of this morning contain')).toBe(true)
    expect(asksOfRecord('what does the last release contain')).toBe(true)
    expect(asksOfRecord('what did marta do today')).toBe(true)
    expect(personAsked('who is marta')).toBe('marta')
    expect(asksOfRecord('what did the outage of this morning bring')).toBe(false)
    expect(personAsked('everything katarzyna put live since monday')).toBe('katarzyna')
    expect(personAsked('what has marta been up to')).toBe('marta')
    expect(personAsked('everything we did today')).toBeNull()
    expect(personAsked('what has it been up to')).toBeNull()
  })
})

describe('a version that ran', () => {
  it.each([
    ['which version of stock was live at 17:15', 'at_instant'],
    ['what was live when it broke', 'at_onset'],
    ['what was running on stock when the outage started', 'at_onset'],
    ['which release of stock were we on around noon', 'at_instant'],
    ['which version is live now', 'in_time'],
    ['which build ran between 2 and 3', 'in_time'],
  ])('is asked for by “%s”', (plain, asked) => {
    expect(versionAsked(plain)).toBe(asked)
  })

  it.each([
    ['what was deployed today'],
    ['which releases were deployed at 3'],
    ['which version broke it'],
    ['what was wrong'],
  ])('is not asked for by “%s”', (plain) => {
    expect(versionAsked(plain)).toBeNull()
  })
})
