import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { useAddress } from '../ui/page/address.ts'
import { useTitle } from '../ui/page/title.ts'
import { NotFound } from '../ui/state/NotFound.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { dayOf } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { filtersOf, type RecordKind } from './filters.ts'
import { RecordFilters } from './RecordFilters.tsx'
import { RecordTable } from './RecordTable.tsx'

const TITLES: Record<RecordKind, string> = {
  trips: t('Trips'),
  stops: t('Stops'),
  visits: t('Visits'),
  levels: t('Levels'),
}

type RecordsPageProps = { organization: OrganizationSummary; kind: string }

/** The records of one kind of an organization in a range of days. */
export function RecordsPage({ organization, kind }: RecordsPageProps) {
  if (!isKind(kind)) return <NotFound />
  return <Records organization={organization} kind={kind} />
}

function isKind(kind: string): kind is RecordKind {
  return Object.hasOwn(TITLES, kind)
}

function Records({ organization, kind }: { organization: OrganizationSummary; kind: RecordKind }) {
  useTitle(TITLES[kind], organization.name)
  const [address, change] = useAddress()
  const [utc] = useUtc()
  const today = dayOf(Date.now(), utc)
  const filters = filtersOf(address, today)
  const base = `/organizations/${organization.id}/records`
  return (
    <>
      <div className="page-head">
        <h1 className="visually-hidden">{TITLES[kind]}</h1>
        <Tabs
          label={t('Records')}
          items={Object.entries(TITLES).map(([each, title]) => [
            `${base}/${each}${keptSearch(address)}`,
            title,
          ])}
        />
      </div>
      <RecordFilters
        organization={organization}
        kind={kind}
        filters={filters}
        today={today}
        onChange={(parts) => change(parts, { replace: true })}
      />
      <RecordTable
        key={kind}
        organization={organization}
        kind={kind}
        label={TITLES[kind]}
        filters={filters}
      />
    </>
  )
}

/** The other kinds keep the filters, but have other columns. */
function keptSearch(address: URLSearchParams): string {
  const kept = new URLSearchParams(address)
  kept.delete('sort')
  return kept.size === 0 ? '' : `?${kept}`
}
