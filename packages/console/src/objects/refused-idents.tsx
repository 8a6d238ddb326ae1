import type { RefusedIdents } from '../api/types.ts'
import { count, placeText } from '../ui/format.ts'
import type { Column } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'

export type RefusedIdent = RefusedIdents['items'][number]

const REASONS: Record<RefusedIdent['reason'], string> = {
  unknown_ident: 'Objects are not created automatically.',
  foreign_ident: 'It is in use elsewhere on this server. Its operator can assign it.',
  limit_of_objects: 'The organization has its maximum number of objects.',
  limit_of_new_objects: 'The feed token created too many objects within a minute.',
}

/** The columns of a list of refused idents, of one organization or of all. */
export function refusedColumns<Row extends RefusedIdent>(): [Column<Row>, ...Column<Row>[]] {
  return [
    { name: 'Ident', cell: ({ ident }) => <bdi>{ident}</bdi> },
    { name: 'Why', cell: ({ reason }) => REASONS[reason] },
    { name: 'Packets', number: true, cell: ({ packets }) => count(packets) },
    { name: 'Last packet', cell: ({ last_at }) => <Time value={last_at} as="ago" /> },
    { name: 'Where', fit: true, cell: placeText },
  ]
}
