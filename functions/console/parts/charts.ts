import type { AnswerOf } from '../api.ts'

/** What an incident's charts are drawn from. */
export type Charts = NonNullable<AnswerOf<'GET /incidents/{id}/charts'>['charts']>
