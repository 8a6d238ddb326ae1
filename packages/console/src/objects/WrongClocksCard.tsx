import { useWrongClocks } from '../api/queries.ts'
import type { OrganizationSummary, WrongClocks } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { count } from '../ui/format.ts'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'

type WrongClock = WrongClocks['items'][number]

const REASONS: Record<WrongClock['reason'], string> = {
  in_future: t(
    'Time is in the future: the device sends local times but has no time zone set, or its clock is wrong.',
  ),
  implausible_past: t('Time is too old: the device’s clock is wrong.'),
}

const COLUMNS: Column<WrongClock>[] = [
  { name: t('Vehicle'), cell: ({ name }) => <bdi>{name}</bdi> },
  { name: t('Reason'), cell: ({ reason }) => REASONS[reason] },
  { name: t('Packets'), number: true, cell: ({ packets }) => count(packets) },
  {
    name: t('Last packet'),
    cell: ({ time_server }) => <Time value={time_server} as="second" none={t('unknown')} />,
  },
  {
    name: t('Device time'),
    cell: ({ time_device }) => <Time value={time_device} as="second" none={t('unknown')} />,
  },
]

/** Vehicles whose packets are refused for their time. Shows nothing where there are none. */
export function WrongClocksCard({ organization }: { organization: OrganizationSummary }) {
  const { data } = useWrongClocks(organization.id)
  if (data === undefined || data.items.length === 0) return null
  return (
    <Card
      title={t('Devices with incorrect clocks')}
      lead={t(
        'All their positions are rejected. The list shows the first 100 of today and yesterday.',
      )}
    >
      <Table
        label={t('Devices with incorrect clocks')}
        columns={COLUMNS}
        rows={data.items}
        rowKey={({ id }) => id}
        href={({ id }) => `/organizations/${organization.id}/objects/${id}/refusals`}
      />
    </Card>
  )
}
