/** Reads histories as its parent asks for them: see `history-reader.ts`. */
import { constants, setPriority } from 'node:os'
import { type HistoryRequest, readHistory } from './read-history.ts'

// It shares a processor with whoever times requests, and what those would wait for it is no time of the server's.
setPriority(constants.priority.PRIORITY_LOW)

process.on('message', async (request: HistoryRequest) => {
  process.send!(await readHistory(request))
})
