import { useRefusedIdents } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { type RefusedIdent, refusedColumns } from './refused-idents.tsx'

type RefusedIdentsCardProps = {
  organization: OrganizationSummary
  onCreate: (ident: string) => void
}

/** Trackers that send and have no object. Shows nothing where there are none. */
export function RefusedIdentsCard({ organization, onCreate }: RefusedIdentsCardProps) {
  const { data } = useRefusedIdents(organization.id)
  if (data === undefined || data.items.length === 0) return null
  const columns: Column<RefusedIdent>[] = [
    ...refusedColumns(),
    {
      name: t('Actions'),
      actions: true,
      cell: ({ ident }) => (
        <Button
          onClick={() => onCreate(ident)}
          aria-label={t('Create vehicle for {{ident}}', { ident })}
        >
          {t('Create vehicle')}
        </Button>
      ),
    },
  ]
  return (
    <Card
      title={t('Trackers without a vehicle')}
      lead={t(
        'These trackers send to this organization, but their packets are rejected. The list shows the 100 that sent most recently.',
      )}
    >
      <Table
        label={t('Trackers without a vehicle')}
        columns={columns}
        rows={data.items}
        rowKey={({ ident }) => ident}
      />
    </Card>
  )
}
