import { RATE_WINDOW } from '../../../server/src/base/domain/limits.ts'
import { useUsage } from '../api/queries.ts'
import type { OrganizationSummary, Usage } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Figures } from '../ui/Figures.tsx'
import { SelectField } from '../ui/form/Field.tsx'
import { count, percent, utcDay } from '../ui/format.ts'
import { useAddress } from '../ui/page/address.ts'
import { useTitle } from '../ui/page/title.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { ChartCard } from './ChartCard.tsx'
import { type DayBar, DaysChart } from './DaysChart.tsx'
import { OperationsCard } from './OperationsCard.tsx'
import { QuotaCard } from './QuotaCard.tsx'
import { StoredCard } from './StoredCard.tsx'
import { STATUS_KINDS, STATUS_NAMES, type StatusKind } from './statuses.ts'
import { byOperation, countsOf } from './tally.ts'
import './UsagePage.css'

const RANGES: ['7' | '30' | '90', string][] = [
  ['7', t('Last 7 days')],
  ['30', t('Last 30 days')],
  ['90', t('Last 90 days')],
]

export function UsagePage({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Usage'), organization.name)
  const [address, change] = useAddress()
  const days = RANGES.find(([range]) => range === address.get('days'))?.[0] ?? '30'
  const usage = useUsage(organization.id, Number(days))
  return (
    <>
      <h1>{t('Usage')}</h1>
      <div className="page-head">
        <Today organization={organization} />
        <div className="range">
          <SelectField
            label={t('Period')}
            options={RANGES}
            value={days}
            onChange={(range) => change({ days: range })}
          />
        </div>
      </div>
      <QuotaCard organization={organization} />
      <Loaded query={usage}>
        {(answered) => <Charts usage={answered} requests={organization.window_requests} />}
      </Loaded>
      <StoredCard positions={organization.positions} />
    </>
  )
}

function Today({ organization }: { organization: OrganizationSummary }) {
  const { requests_today: requests, refused_today: refused } = organization
  return (
    <Figures
      items={[
        [t('Requests today'), count(requests)],
        [
          t('Rate limited'),
          <>
            {count(refused)}
            {requests > 0 && <small> {percent(refused / requests)}</small>}
          </>,
        ],
        [t('Objects with no quota left'), count(organization.objects_exhausted)],
      ]}
    />
  )
}

type ChartsProps = {
  usage: Usage
  /** The requests that the window of the organization admits. */
  requests: number
}

function Charts({ usage: { days }, requests }: ChartsProps) {
  const bars = days.map(({ day, answers }) => ({ day, counts: countsOf(answers) }))
  const operations = byOperation(days)
  if (operations.length === 0) {
    return (
      <Empty title={t('No requests in this period')}>
        {t(
          'Requests appear here once a program uses an API key of this organization. Days are in UTC.',
        )}
      </Empty>
    )
  }
  return (
    <>
      <ChartCard
        title={t('Requests by day')}
        lead={t(
          'All API keys of this organization, by response. Days are in UTC. With several server processes, figures can be a minute old.',
        )}
        chart={
          <DaysChart label={t('Requests by day and response')} days={bars} kinds={STATUS_KINDS} />
        }
        table={<DaysTable label={t('Requests by day')} bars={bars} kinds={STATUS_KINDS} />}
      />
      <ChartCard
        title={t('Rate limited')}
        lead={t(
          'Requests over the limit of {{requests}} per {{seconds}} seconds. A high number means that a program ignores Retry-After.',
          { requests, seconds: RATE_WINDOW.seconds },
        )}
        chart={
          <DaysChart label={t('Rate-limited requests by day')} days={bars} kinds={['refused']} />
        }
        table={
          <DaysTable label={t('Rate-limited requests by day')} bars={bars} kinds={['refused']} />
        }
      />
      <OperationsCard operations={operations} />
    </>
  )
}

type DaysTableProps = { label: string; bars: DayBar[]; kinds: readonly StatusKind[] }

function DaysTable({ label, bars, kinds }: DaysTableProps) {
  const columns: Column<DayBar>[] = [
    { name: t('Day (UTC)'), cell: ({ day }) => utcDay(day) },
    ...kinds.map((kind) => ({
      name: STATUS_NAMES[kind],
      number: true,
      cell: ({ counts }: DayBar) => count(counts[kind]),
    })),
  ]
  return (
    <Table
      stays
      label={label}
      columns={columns}
      rows={bars.toReversed()}
      rowKey={({ day }) => day}
    />
  )
}
