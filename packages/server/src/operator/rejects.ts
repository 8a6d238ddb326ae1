import {
  REFUSED_IDENT_MESSAGES,
  type RefusedIdent,
  type RefusedIdentReason,
} from '../domain/refused-ident.ts'
import type { Reject } from '../fold/outcome.ts'
import { REJECT_REASONS } from '../fold/rules/judge.ts'
import {
  choice,
  instant,
  instantOrNull,
  integer,
  items,
  realOrNull,
  record,
  text,
} from './schema.ts'

const REJECT = record(
  {
    time_server: instantOrNull(
      'When the packet came. Null if no date can express it; likewise the next field.',
    ),
    time_device: instantOrNull('When the device says it was.'),
    reason: text('Why it was not accepted, a word.'),
    message: text('The same, a sentence.'),
    hdop: realOrNull('Horizontal dilution of precision.'),
    gps_level: realOrNull('GPS quality level.'),
    latitude: realOrNull('Degrees.'),
    longitude: realOrNull('Degrees.'),
  },
  'A packet that was not accepted.',
)
export const REJECTS = items(
  REJECT,
  'The last packets of an object that were not accepted, the newest first.',
  'Rejects',
)

const REFUSED_IDENT = record(
  {
    ident: text('The identifier that the tracker sends.'),
    reason: choice(
      Object.keys(REFUSED_IDENT_MESSAGES) as RefusedIdentReason[],
      'Why the last packet made no object.',
    ),
    message: text('The same, a sentence.'),
    packets: integer('How many packets came since the ident is on the list.'),
    last_at: instant('When the last packet came.'),
    latitude: realOrNull('Where the last packet was sent from, degrees. Null: it had no fix.'),
    longitude: realOrNull('Degrees.'),
  },
  'An ident that trackers send and that no object has.',
)
export const REFUSED_IDENTS = items(
  REFUSED_IDENT,
  'The 100 idents that sent last, the newest first.',
  'RefusedIdents',
)

/** Times are null if they cannot be written: that may be why the packet was rejected. */
export function rejectDocument({ reason, timeServer, fix }: Reject) {
  const message = REJECT_REASONS[reason] ?? reason
  return REJECT.write({ ...fix, timeServer, reason, message })
}

export function refusedIdentDocument(refused: RefusedIdent) {
  return REFUSED_IDENT.write({ ...refused, message: REFUSED_IDENT_MESSAGES[refused.reason] })
}
