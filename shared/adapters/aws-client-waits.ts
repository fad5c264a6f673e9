/**
 * How long a client of AWS waits. The limit of a request ends with the head of its answer, so that the body has one of
 * its own: an answer that begins and then stands still would otherwise be waited for as long as the function may run.
 * @param requestMs for the head of an answer, and for each further piece of it
 */
export const clientWaits = (connectionMs: number, requestMs: number, patience = 1) => ({
  connectionTimeout: connectionMs * patience,
  requestTimeout: requestMs * patience,
  socketTimeout: requestMs * patience,
  // Without it the SDK only warns when the time is up and waits on.
  throwOnRequestTimeout: true,
})
