import { useRejects } from '../api/queries.ts'
import type { FleetObject, OrganizationSummary, Rejects } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { decimal, placeText } from '../ui/format.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { rejectInWords } from './reject-words.ts'

type Reject = Rejects['items'][number]

const COLUMNS: Column<Reject & { key: number }>[] = [
  { name: t('Reason'), cell: rejectInWords },
  {
    name: t('Position'),
    fit: true,
    cell: ({ stored }) => (stored ? t('Stored') : t('Not stored')),
  },
  {
    name: t('Received'),
    cell: (each) => <Time value={each.time_server} as="second" none={t('unknown')} />,
  },
  {
    name: t('Device time'),
    cell: (each) => <Time value={each.time_device} as="second" none={t('unknown')} />,
  },
  { name: 'HDOP', number: true, cell: ({ hdop }) => (hdop === null ? '' : decimal(hdop)) },
  { name: t('GPS level'), number: true, cell: ({ gps_level }) => gps_level ?? '' },
  { name: t('Location'), cell: placeText },
]

type RejectsCardProps = { organization: OrganizationSummary; object: FleetObject }

export function RejectsCard({ organization, object }: RejectsCardProps) {
  const rejects = useRejects(organization.id, object.id)
  return (
    <Card
      title={t('Rejected packets')}
      lead={t(
        'These packets often explain why a vehicle seems to jump or keeps stopping. The list also includes packets stored without some of their values. Newest first.',
      )}
    >
      <Loaded
        query={rejects}
        lines={2}
        none={
          <p className="soft">
            {object.time_server === null
              ? t(
                  'No packet has arrived yet: the tracker is not sending, has no valid feed token, or sends a different ident.',
                )
              : t('All recent packets were accepted.')}
          </p>
        }
      >
        {({ items }) => (
          <Table
            label={t('Rejected packets')}
            columns={COLUMNS}
            rows={items.map((each, key) => ({ ...each, key }))}
            rowKey={({ key }) => key}
          />
        )}
      </Loaded>
    </Card>
  )
}
