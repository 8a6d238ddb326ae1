import type { Answer } from '../../read/call.ts'
import { wholeOrStreamed } from '../../read/encode/rows.ts'
import type { Query } from '../../read/exchange/request.ts'
import { workbookOf } from '../../read/formats/xlsx.ts'
import { TIME_ZONE } from '../../read/parameters/days-query.ts'
import { parameterSet, UNLIMITED } from '../../read/parameters/parameter.ts'
import type { Refusal } from '../../read/refusal.ts'

/* An answer in xlsx. Its operation answers with the lines of a sheet. */

const PARAMETERS = parameterSet({ timeZone: TIME_ZONE })

/** The names of parameters that each operation has in xlsx. */
export const SHEET_PARAMETERS: readonly string[] = TIME_ZONE.single

/** The time zone of the times in a sheet. */
export function sheetZone(query: Query): string | Refusal {
  const asked = PARAMETERS.read(query, UNLIMITED)
  return 'status' in asked ? asked : asked.timeZone
}

/** The workbook of lines. The time zone of an answer with days is its own. */
export function inWorkbook(answer: Answer, path: string, asked: string): Answer {
  const { body, bytes: _, tag, next, timeZone = asked, ...rest } = answer
  return {
    ...rest,
    timeZone,
    // Its parts are compressed.
    isPlain: true,
    ...(tag !== undefined && { tag: `${tag}-${timeZone}` }),
    next: next && withZone(next, timeZone),
    async body() {
      const lines = await (typeof body === 'function' ? body() : body)
      const isWhole = typeof lines === 'string' || Buffer.isBuffer(lines)
      const pieces = isWhole ? [Buffer.from(lines)] : (lines as AsyncIterable<Uint8Array>)
      return wholeOrStreamed(workbookOf(sheetName(path), pieces, timeZone))
    },
  }
}

function withZone(next: string, timeZone: string): string {
  return /[?&]tz=/.test(next) ? next : `${next}&tz=${encodeURIComponent(timeZone)}`
}

/** `/objects/{id}/positions` is `positions`. */
function sheetName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
