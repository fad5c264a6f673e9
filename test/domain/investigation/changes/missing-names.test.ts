import { describe, expect, it } from 'vitest'
import { quotedSentence } from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import { first, judge, merged, says } from '../ranking-by-hand.ts'

const ASKS = '-  serve(settings["lamp"], hue)\n+  serve(settings.lamp_shade, hue)'
const SAYS = "AttributeError: 'dict' object has no attribute 'lamp_shade'"

/** What links a change to what the failing place says. */
const found = (said: string, diff = ASKS, more: Partial<Symptom> = {}) =>
  first([merged('a', 60, diff)], [says(said, more)]).quoted

describe('a name that what fails says is not there', () => {
  it('links the one change that asks for it, as something that it did', () => {
    const symptom = says(SAYS)
    const entry = first([merged('a', 60, ASKS)], [symptom])
    expect(entry.quoted).toEqual({ name: 'lamp_shade', symptom, how: 'asks' })
    expect(entry.is_linked).toBe(true)
    expect(quotedSentence(entry)).toContain('is the one that asks for “lamp_shade”')
  })

  it.each([
    ['Python', "module 'lamp' has no attribute 'lampShade'", '+  lamp.lampShade()'],
    ['Python', "KeyError: 'lampShade'", "+  lamp['lampShade']"],
    ['Python', "ImportError: cannot import name 'lampShade' from 'lamp'", '+from lamp import lampShade'],
    // The name itself is a plain word that many have, the module is not.
    ['Python', "ImportError: cannot import name 'fetch' from 'lamps.http'", '+from lamps.http import fetch'],
    ['Python', "ModuleNotFoundError: No module named 'acme.lampshade'", '+import lampshade'],
    ['Python', "NameError: name 'lampShade' is not defined", '+  hang(lampShade)'],
    ['JavaScript', 'TypeError: lamp.lampShade is not a function', '+  lamp.lampShade()'],
    ['JavaScript', "Cannot read properties of undefined (reading 'lampShade')", '+  lamp.lampShade'],
    ['JavaScript', "Cannot find module 'lampshade'", "+require('lampshade')"],
    ['Ruby', "undefined method 'lamp_shade' for an instance of Lamp", '+  lamp.lamp_shade'],
    ['Ruby', 'uninitialized constant Acme::LampShade', '+  LampShade.new'],
    ['Java', "NoSuchMethodError: 'void acme.Lamp.lampShade()'", '+  lamp.lampShade();'],
    ['Java', 'ClassNotFoundException: acme.LampShade', '+  new LampShade();'],
    ['PHP', 'Call to undefined method Lamp::lampShade()', '+  $lamp->lampShade();'],
    ['PHP', 'Undefined array key "lamp_shade"', '+  $row["lamp_shade"];'],
    ['PostgreSQL', 'column lamps.lamp_shade does not exist', '+  SELECT lamp_shade FROM lamps'],
    ['MySQL', "Unknown column 'lamps.lamp_shade' in 'field list'", '+  SELECT lamp_shade FROM lamps'],
    ['MySQL', "Table 'shop.lamp_shade' doesn't exist", '+  SELECT 1 FROM lamp_shade'],
    ['Elixir', 'key :lamp_shade not found in: %{}', '+  lamp.lamp_shade'],
  ])('is read in the words of %s: %s', (_language, said, diff) => {
    expect(found(said, `-  light(2)\n${diff}`)).toMatchObject({ how: 'asks' })
  })

  it('is none that several changes ask for, that nobody asks for anew, or that is anybody’s', () => {
    const both = judge([merged('a', 60, ASKS), merged('b', 61, ASKS)], [says(SAYS)]).ranked
    expect(both.map(({ quoted }) => quoted?.how)).not.toContain('asks')
    expect(found(SAYS, '-  serve(settings.lamp_shade, 1)\n+  serve(settings.lamp_shade, 2)')?.how).not.toBe(
      'asks',
    )
    expect(found("KeyError: 'data'", "-  light(2)\n+  lamp['data']")?.how).not.toBe('asks')
    expect(found("the attribute 'lamp_shade' is set")?.how).not.toBe('asks')
  })

  it('counts where the failing place itself says so', () => {
    expect(found(SAYS, ASKS, { entity: 'web', weight: 0.4 })?.how).not.toBe('asks')
  })

  it('makes a change no trifle, however little of it is new', () => {
    const logged = '-  log.info(lamp)\n+  log.info(lamp.lamp_shade)'
    expect(first([merged('a', 60, logged)]).trivial).not.toBeNull()
    expect(first([merged('a', 60, logged)], [says(SAYS)]).trivial).toBeNull()
  })
})
