/** A function by its id and its file below the root. */
export interface Source {
  readonly id: string
  readonly file: string
}

/** Gives the text of a source file, as it goes into a bundle. */
export type SourceOf = (file: string) => string
