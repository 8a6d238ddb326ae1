import { useState } from 'react'
import { PLACE_TOPICS } from '../../../server/src/base/domain/item-rules.ts'
import { PREFIX } from '../api/prefix.ts'
import { type PlaceKind, usePlaces } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { ImportDialog } from '../imports/ImportDialog.tsx'
import { t } from '../language/text.ts'
import { Button, ButtonLink, DownloadLink } from '../ui/Button.tsx'
import { Changing } from '../ui/changing.tsx'
import { SearchField } from '../ui/form/Field.tsx'
import { Icon } from '../ui/Icon.tsx'
import { matcher } from '../ui/match.ts'
import { useSearchText } from '../ui/page/address.ts'
import { useTitle } from '../ui/page/title.ts'
import { isKind, KINDS, type Place } from '../ui/place-kinds.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { NotFound } from '../ui/state/NotFound.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { DeletePlace } from './DeletePlace.tsx'
import { PlaceTable } from './PlaceTable.tsx'
import './PlacesPage.css'

type PlacesPageProps = { organization: OrganizationSummary; kind: string }

export function PlacesPage({ organization, kind }: PlacesPageProps) {
  if (!isKind(kind)) return <NotFound />
  return <Places key={kind} organization={organization} kind={kind} />
}

function Places({ organization, kind }: { organization: OrganizationSummary; kind: PlaceKind }) {
  const words = KINDS[kind]
  useTitle(words.title, organization.name)
  const places = usePlaces(organization.id, kind)
  const [importing, setImporting] = useState(false)
  const [deleting, setDeleting] = useState<Place | null>(null)
  const [search, setSearch] = useSearchText()
  return (
    <>
      <Head organization={organization} kind={kind} onImport={() => setImporting(true)} />
      <Loaded query={places}>
        {({ items }) => {
          if (items.length === 0) {
            return <Empty title={words.none}>{words.what}</Empty>
          }
          const fits = matcher(search)
          const rows = (items as Place[]).filter(({ name }) => fits(name))
          return (
            <>
              {items.length > 8 && (
                <SearchField label={words.search} value={search} onChange={setSearch} />
              )}
              <PlaceTable
                organization={organization}
                kind={kind}
                rows={rows}
                onDelete={setDeleting}
              />
            </>
          )
        }}
      </Loaded>
      {importing && (
        <ImportDialog organization={organization} kind={kind} onClose={() => setImporting(false)} />
      )}
      {deleting !== null && (
        <DeletePlace
          organization={organization}
          kind={kind}
          place={deleting}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  )
}

type HeadProps = { organization: OrganizationSummary; kind: PlaceKind; onImport: () => void }

function Head({ organization, kind, onImport }: HeadProps) {
  const words = KINDS[kind]
  const base = `/organizations/${organization.id}/places`
  return (
    <div className="page-head">
      <h1 className="visually-hidden">{words.title}</h1>
      <Tabs
        label={t('Places')}
        items={PLACE_TOPICS.map((each) => [`${base}/${each}`, KINDS[each].title])}
      />
      <div className="row">
        <DownloadLink href={`${PREFIX}/organizations/${organization.id}/${kind}.geojson`}>
          <Icon name="download" />
          {t('Export GeoJSON')}
        </DownloadLink>
        <Changing>
          <Button onClick={onImport}>
            <Icon name="upload" />
            {t('Import')}
          </Button>
          <ButtonLink to={`${base}/${kind}/new`} look="primary">
            <Icon name="plus" />
            {words.add}
          </ButtonLink>
        </Changing>
      </div>
    </div>
  )
}
