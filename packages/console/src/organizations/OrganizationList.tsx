import { useDeferredValue, useState } from 'react'
import { useOrganizations } from '../api/queries.ts'
import { useRights } from '../api/rights.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { SearchField } from '../ui/form/Field.tsx'
import { count } from '../ui/format.ts'
import { Icon } from '../ui/Icon.tsx'
import { Meter } from '../ui/Meter.tsx'
import { useSearchText } from '../ui/page/address.ts'
import { useTitle } from '../ui/page/title.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { CreateOrganization } from './CreateOrganization.tsx'
import { SubscriptionBadge } from './SubscriptionBadge.tsx'
import './OrganizationList.css'

const COLUMNS: Column<OrganizationSummary>[] = [
  { name: t('Name'), cell: ({ name }) => name },
  {
    name: t('Subscription'),
    cell: (each) => <SubscriptionBadge subscription={each.subscription} />,
  },
  { name: t('Objects'), number: true, cell: ({ objects }) => count(objects) },
  { name: t('Seen today'), number: true, cell: (each) => count(each.objects_seen_today) },
  { name: t('API keys'), number: true, cell: ({ keys }) => count(keys) },
  { name: t('Requests today'), number: true, cell: (each) => count(each.requests_today) },
  { name: t('Rate limited'), number: true, cell: (each) => <Refused organization={each} /> },
  { name: t('Highest quota use'), cell: (each) => <QuotaUse organization={each} /> },
]

export function OrganizationList() {
  useTitle(t('Organizations'))
  const [search, setSearch] = useSearchText()
  const [creating, setCreating] = useState(false)
  const organizations = useOrganizations(useDeferredValue(search.trim()))
  const { changes } = useRights(null)
  const create = changes && (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      {t('New organization')}
    </Button>
  )
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('Organizations')}</h1>
          <p className="soft small">
            {t('Fleet owners on this server, with today’s figures (since 00:00 UTC).')}
          </p>
        </div>
        {create}
      </div>
      <SearchField label={t('Search organizations')} value={search} onChange={setSearch} />
      <Loaded query={organizations} lines={6}>
        {({ items }) => {
          if (items.length > 0) {
            return (
              <Table
                label={t('Organizations')}
                columns={COLUMNS}
                rows={items}
                rowKey={({ id }) => id}
                href={({ id }) => `/organizations/${id}`}
              />
            )
          }
          return search.trim() === '' ? (
            <Empty title={t('No organizations yet')} action={create}>
              {t(
                'An organization has vehicles, API keys for programs that read, and feed tokens for trackers that send. Create the first organization, then issue a feed token under API keys.',
              )}
            </Empty>
          ) : (
            <Empty
              title={t('No matches')}
              action={<Button onClick={() => setSearch('')}>{t('Show all')}</Button>}
            >
              {t('No organization matches “{{trim}}”.', {
                trim: search.trim(),
              })}
            </Empty>
          )
        }}
      </Loaded>
      {creating && <CreateOrganization onClose={() => setCreating(false)} />}
    </>
  )
}

function Refused({ organization }: { organization: OrganizationSummary }) {
  const { refused_today: refused } = organization
  return refused === 0 ? '0' : <strong className="refused">{count(refused)}</strong>
}

function QuotaUse({ organization }: { organization: OrganizationSummary }) {
  const { daily_quota: limit, quota_used: used } = organization
  if (limit === null) return <span className="soft">{t('No quota')}</span>
  return <Meter used={used ?? 0} limit={limit} />
}
