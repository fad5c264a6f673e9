/** A module that a function cannot be made from. */
export const handle = (): void => {}
