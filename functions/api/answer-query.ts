import { answerView } from '#shared/contract/views.ts'
import { answerQuestion } from '#shared/domain/answer-question.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { keeping, queryRepeats, questionActs } from '#shared/runtime.ts'

export const handler = endpoint('answer-query', keeping, () =>
  repeatable('answer-query', queryRepeats, {
    long: true,
    first: ({ body, deadline }, claim) => answerQuestion(questionActs(claim), body, deadline),
    again: (_call, { resource }) => questionActs().queries.get(resource),
    answer: (answer) => ({ body: answerView(answer) }),
  }),
)
