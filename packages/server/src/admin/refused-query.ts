import { messageOf } from '../api/messages/messages.ts'
import type { Refusal, RefusalMessage } from '../api/refusal.ts'
import { notFound, Refused } from '../operator/refused.ts'

/** The parameter of a message that names none. */
const PARAMETERS: Partial<Record<RefusalMessage['key'], string>> = {
  fromTimeRequired: 'from_time',
  toTimeRequired: 'to_time',
  rangeReversed: 'from_time',
  tooManyIds: 'ids',
  invalidCursor: 'cursor',
}

/** The refusal of a query by a reader of the public API. */
export function refusedQuery(refusal: Refusal): Refused {
  const { message } = refusal
  if (message.key === 'objectNotFound') return notFound('object')
  if (message.key === 'placeNotFound') return notFound('place')
  return new Refused(400, 'invalid', messageOf(refusal, 'en'), { field: parameterOf(message) })
}

function parameterOf(message: RefusalMessage): string | null {
  if ('parameter' in message) return message.parameter
  return message.key === 'repeatedParameter' ? message.name : (PARAMETERS[message.key] ?? null)
}
