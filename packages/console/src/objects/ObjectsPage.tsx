import { useDeferredValue, useMemo, useState } from 'react'
import { useObjects } from '../api/queries.ts'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { ImportDialog } from '../imports/ImportDialog.tsx'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Changing } from '../ui/changing.tsx'
import { Filters } from '../ui/Filters.tsx'
import { SearchField } from '../ui/form/Field.tsx'
import { count } from '../ui/format.ts'
import { Icon } from '../ui/Icon.tsx'
import { useAddress, useSearchText } from '../ui/page/address.ts'
import { useTitle } from '../ui/page/title.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { sortingOf, textOf } from '../ui/table/sorting.ts'
import { useNow } from '../ui/time/clock.ts'
import { CreateObject } from './CreateObject.tsx'
import { ObjectTable } from './ObjectTable.tsx'
import { RefusedIdentsCard } from './RefusedIdentsCard.tsx'
import { arranged, BY_NAME, FILTERS, filterOf, SORT_KEYS } from './sorting.ts'
import { WrongClocksCard } from './WrongClocksCard.tsx'

type OpenDialog = { create: string } | 'import' | null

export function ObjectsPage({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Vehicles'), organization.name)
  const objects = useObjects(organization.id)
  const [dialog, setDialog] = useState<OpenDialog>(null)
  const buttons = (
    <div className="row">
      <Changing>
        <Button onClick={() => setDialog('import')}>
          <Icon name="upload" />
          {t('Import')}
        </Button>
        <Button look="primary" onClick={() => setDialog({ create: '' })}>
          <Icon name="plus" />
          {t('New vehicle')}
        </Button>
      </Changing>
    </div>
  )
  return (
    <>
      <div className="page-head">
        <h1>{t('Vehicles')}</h1>
        {buttons}
      </div>
      <RefusedIdentsCard
        organization={organization}
        onCreate={(ident) => setDialog({ create: ident })}
      />
      <WrongClocksCard organization={organization} />
      <Loaded query={objects} lines={8}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No vehicles yet')}>
              {organization.create_objects
                ? t(
                    'A vehicle is anything with a tracker. Create one, import a list, or issue a feed token: a tracker that sends becomes a vehicle automatically.',
                  )
                : t(
                    'A vehicle is anything with a tracker. Create one, import a list, or let trackers become vehicles automatically: turn this on under Settings.',
                  )}
            </Empty>
          ) : (
            <Fleet organization={organization} objects={items} />
          )
        }
      </Loaded>
      {dialog !== null && dialog !== 'import' && (
        <CreateObject
          organization={organization}
          ident={dialog.create}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'import' && (
        <ImportDialog organization={organization} kind="objects" onClose={() => setDialog(null)} />
      )}
    </>
  )
}

type FleetProps = { organization: OrganizationSummary; objects: FleetObject[] }

function Fleet({ organization, objects }: FleetProps) {
  const [address, change] = useAddress()
  const [search, setSearch] = useSearchText()
  const filter = filterOf(address.get('show'))
  const sort = address.get('sort')
  const sorting = useMemo(() => sortingOf(sort, SORT_KEYS, BY_NAME), [sort])
  const wanted = useDeferredValue(search)
  const now = useNow()
  // Arranged again when the day turns, not with each tick.
  const today = now - (now % 86_400_000)
  const rows = useMemo(
    () => arranged(objects, { search: wanted, filter, sorting, now: today }),
    [objects, wanted, filter, sorting, today],
  )
  return (
    <>
      <div className="row">
        <SearchField label={t('Search vehicles')} value={search} onChange={setSearch} />
        <Filters
          legend={t('Show')}
          options={FILTERS}
          value={filter}
          onChange={(id) => change({ show: id === 'all' ? null : id })}
        />
        <span className="soft small" role="status">
          {rows.length === objects.length
            ? t('{{count, number}} vehicles', { count: objects.length })
            : t('{{length}} of {{count, number}} vehicles', {
                length: count(rows.length),
                count: objects.length,
              })}
        </span>
      </div>
      {rows.length === 0 ? (
        <Empty
          title={t('No matches')}
          action={
            <Button onClick={() => change({ search: null, show: null })}>{t('Show all')}</Button>
          }
        >
          {t('No vehicle matches the search and the filters.')}
        </Empty>
      ) : (
        <ObjectTable
          organization={organization}
          rows={rows}
          sorting={sorting}
          onSort={(next) => change({ sort: textOf(next, BY_NAME) })}
        />
      )}
    </>
  )
}
