/** Reads histories on request of its parent; see `history-reader.ts`. */
import { constants, setPriority } from 'node:os'
import { type HistoryRequest, readHistory } from './read-history.ts'

// It shares a processor with the timing client, whose delays would count as latency of the server.
setPriority(constants.priority.PRIORITY_LOW)

process.on('message', async (request: HistoryRequest) => {
  process.send!(await readHistory(request))
})
