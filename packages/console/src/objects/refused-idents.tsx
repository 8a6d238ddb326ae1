import type { RefusedIdents } from '../api/types.ts'
import { t } from '../language/text.ts'
import { count, placeText } from '../ui/format.ts'
import type { Column } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'

export type RefusedIdent = RefusedIdents['items'][number]

const REASONS: Record<RefusedIdent['reason'], string> = {
  unknown_ident: t('Objects are not created automatically.'),
  foreign_ident: t('This ident is in use elsewhere on this server. An operator can assign it.'),
  limit_of_objects: t('The organization has reached its maximum number of objects.'),
  limit_of_new_objects: t('The feed token created too many objects within a minute.'),
}

/** The columns of a list of refused idents, of one organization or of all. */
export function refusedColumns<Row extends RefusedIdent>(): [Column<Row>, ...Column<Row>[]] {
  return [
    { name: t('Ident'), cell: ({ ident }) => <bdi>{ident}</bdi> },
    { name: t('Reason'), cell: ({ reason }) => REASONS[reason] },
    { name: t('Packets'), number: true, cell: ({ packets }) => count(packets) },
    { name: t('Last packet'), cell: ({ last_at }) => <Time value={last_at} as="ago" /> },
    { name: t('Location'), fit: true, cell: placeText },
  ]
}
