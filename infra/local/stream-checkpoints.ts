import { readFileSync } from 'node:fs'
import { writeWhole } from './data-folder.ts'
import type { Checkpoints } from './stream-poller.ts'

/**
 * Keeps the places of a stream's shards in a file, as Lambda keeps them in its service. A file that is missing or
 * cannot be read means the beginning: handling a record twice is harmless, missing one is not.
 * @param streamArn a table that was made anew has another stream, whose sequence numbers begin again
 */
export function fileCheckpoints(file: string, streamArn: string): Checkpoints {
  let places: Record<string, string> = {}
  const key = (shardId: string): string => `${streamArn} ${shardId}`
  try {
    places = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  } catch {
    places = {}
  }
  return {
    read: (shardId) => places[key(shardId)],
    write: (shardId, sequenceNumber) => {
      places[key(shardId)] = sequenceNumber
      writeWhole(file, `${JSON.stringify(places)}\n`)
    },
  }
}
