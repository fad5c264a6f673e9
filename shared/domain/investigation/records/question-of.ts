import type { SourceAsked } from './snapshot.ts'

/** What was asked, of whom, at whatever time: the same of two requests that differ in nothing but their window. */
export const questionOf = ({ tool, integration_id, query }: SourceAsked): string =>
  JSON.stringify([tool, integration_id, query])
