/** What would move a terminal's cursor, clear it, set its title or turn its text around; line breaks and tabs do none of it. */
const STEERING = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu

/**
 * A text for a terminal in which nothing that tools, logs or commits hold can steer it: each such character is shown as
 * `�`.
 */
export const printable = (text: string): string => text.replace(STEERING, '\ufffd')
