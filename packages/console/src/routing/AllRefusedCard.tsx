import { Link } from 'wouter'
import { useAllRefusedIdents, useOrganizationNames } from '../api/queries.ts'
import type { AllRefusedIdents } from '../api/types.ts'
import { t } from '../language/text.ts'
import { refusedColumns } from '../objects/refused-idents.tsx'
import { Card } from '../ui/Card.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'

type Refused = AllRefusedIdents['items'][number]

/** Idents that belong to an organization, or that its own tokens bring, and that have no object. Shows nothing where there are none. */
export function AllRefusedCard() {
  const { data } = useAllRefusedIdents()
  const nameOf = useOrganizationNames()
  if (data === undefined || data.items.length === 0) return null
  const [ident, ...others] = refusedColumns<Refused>()
  const columns: Column<Refused>[] = [
    ident,
    {
      name: t('Organization'),
      cell: ({ organization: id }) => (
        <Link href={`/organizations/${id}/objects`}>{nameOf(id)}</Link>
      ),
    },
    ...others,
  ]
  return (
    <Card
      title={t('Trackers without an object')}
      lead={t(
        'These trackers send to an organization that has no object with their ident. Create the object there, or assign the ident to another organization.',
      )}
    >
      <Table
        label={t('Trackers without an object')}
        columns={columns}
        rows={data.items}
        rowKey={(each) => `${each.organization} ${each.ident}`}
      />
    </Card>
  )
}
