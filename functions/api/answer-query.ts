import { answerView } from '#shared/contract/views.ts'
import { answerQuestion } from '#shared/domain/answer-question.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, questionActs } from '#shared/runtime.ts'

export const handler = endpoint('answer-query', keeping, () => async ({ body, deadline }) => ({
  body: answerView(await answerQuestion(questionActs(), body, deadline)),
}))
