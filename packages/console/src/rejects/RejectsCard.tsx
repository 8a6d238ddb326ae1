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
  { name: t('Why'), cell: rejectInWords },
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
    name: t('Time of device'),
    cell: (each) => <Time value={each.time_device} as="second" none={t('unknown')} />,
  },
  { name: 'HDOP', number: true, cell: ({ hdop }) => (hdop === null ? '' : decimal(hdop)) },
  { name: t('GPS level'), number: true, cell: ({ gps_level }) => gps_level ?? '' },
  { name: t('Where'), cell: placeText },
]

type RejectsCardProps = { organization: OrganizationSummary; object: FleetObject }

export function RejectsCard({ organization, object }: RejectsCardProps) {
  const rejects = useRejects(organization.id, object.id)
  return (
    <Card
      title={t('Packets that were not accepted')}
      lead={t(
        'A vehicle that seems to jump or to stop often sends such packets. The list also has packets that were stored without some of their values. The newest come first.',
      )}
    >
      <Loaded
        query={rejects}
        lines={2}
        none={
          <p className="soft">
            {object.time_server === null
              ? t(
                  'No packet has come yet: the tracker does not send, has no valid feed token, or sends another ident.',
                )
              : t('All recent packets were accepted.')}
          </p>
        }
      >
        {({ items }) => (
          <Table
            label={t('Packets that were not accepted')}
            columns={COLUMNS}
            rows={items.map((each, key) => ({ ...each, key }))}
            rowKey={({ key }) => key}
          />
        )}
      </Loaded>
    </Card>
  )
}
