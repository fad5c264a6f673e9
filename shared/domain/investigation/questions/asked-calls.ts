/** Which way of calls a question asks for. */

/** Whose names are asked for: of those who call a service, or of those whom it calls. */
export type AskedCalls = 'callers' | 'callees'

/** What a service does, not somebody who asks: "who do I call" is about people. */
const OF_IT = '(?!i\\b|we\\b|you\\b|they\\b)\\S+(?: \\S+)?'
const CALLEES = new RegExp(
  `\\b(?:what|who|whom|which \\w+) (?:does|do|did|is|are) ${OF_IT} (?:depend(?:ing)? on|rely(?:ing)? on|call(?:ing)?|talk(?:ing)? to|connect(?:ing|ed)? to)(?![\\w-])|\\b(?:dependencies|callees) of\\b|^(?:(?:and|so) )?(?:does|do) (?!it\\b|this\\b)${OF_IT} (?:depend on|rely on|call|talk to)(?![\\w-])`,
)
const CALLERS =
  /\b(?:what|who|who else|which \w+|anything|anyone|any \w+) (?:else )?(?:depends? on|relies on|rely on|calls?(?! (?:for|it a)\b)|talks? to|connects? to)(?![\w-])|\b(?:dependents|callers) of\b|\bwhich (?:services|systems|apps|components) (?:use|need)\b/

/** Which way of calls plain lower-case words ask for; null where they ask for none. */
export const callsAsked = (plain: string): AskedCalls | null =>
  CALLEES.test(plain) ? 'callees' : CALLERS.test(plain) ? 'callers' : null
