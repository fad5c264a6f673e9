import { connect } from 'node:net'

/** A response as it came over the wire. */
export interface RawResponse {
  readonly status: number
  /** Names in the case in which they were sent, every line of its own. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** The value of a header, whatever the case of its name; undefined when it is absent. */
export const headerOf = (response: RawResponse, name: string): string | undefined =>
  response.headers.find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1]

/**
 * Sends exactly these header lines (no client library between that would change their case or order) and reads the
 * response until the server closes the connection.
 */
export function sendRequest(
  port: number,
  method: string,
  target: string,
  headerLines: readonly string[] = [],
  body: Buffer = Buffer.alloc(0),
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      const all = Buffer.concat(chunks)
      const split = all.indexOf('\r\n\r\n')
      const [statusLine = '', ...lines] = all.subarray(0, split).toString('latin1').split('\r\n')
      resolve({
        status: Number(statusLine.split(' ')[1]),
        headers: lines.map((line) => {
          const colon = line.indexOf(':')
          return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
        }),
        body: all.subarray(split + 4),
      })
    })
    const lines = [
      `${method} ${target} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Connection: close',
      ...headerLines,
      ...(body.length > 0 ? [`Content-Length: ${body.length}`] : []),
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    socket.write(body)
  })
}
