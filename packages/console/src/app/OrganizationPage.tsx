import type { ReactNode } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { useOrganization } from '../api/queries.ts'
import { useRights } from '../api/rights.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { MayChangeHere } from '../ui/changing.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { NotFound } from '../ui/state/NotFound.tsx'
import {
  AttributesPage,
  KeysPage,
  MapPage,
  ObjectPage,
  ObjectsPage,
  OrganizationAudit,
  OrganizationPeople,
  OverviewPage,
  PlacePage,
  PlacesPage,
  RecordsPage,
  ReportsPage,
  SettingsPage,
  SharedPage,
  UsagePage,
  WebhooksPage,
} from './pages.ts'

export function OrganizationPage({ organization: id }: { organization: number }) {
  const organization = useOrganization(id)
  const rights = useRights(id)
  return (
    <>
      {organization.data === undefined && <h1 className="visually-hidden">{t('Organization')}</h1>}
      <Loaded query={organization} lines={5}>
        {(each) => (
          <MayChangeHere value={rights.changes}>
            <Pages organization={each} oversees={rights.oversees} />
          </MayChangeHere>
        )}
      </Loaded>
    </>
  )
}

type PagesProps = { organization: OrganizationSummary; oversees: boolean }

function Pages({ organization, oversees }: PagesProps) {
  const base = `/organizations/${organization.id}`
  const overseen = (page: ReactNode) => (oversees ? page : <NotFound />)
  return (
    <Switch>
      <Route path={base}>
        <Redirect to={`${base}/overview`} replace />
      </Route>
      <Route path={`${base}/overview`}>
        <OverviewPage organization={organization} />
      </Route>
      <Route path={`${base}/map`}>
        <h1 className="visually-hidden">{t('Map')}</h1>
        <MapPage organization={organization} />
      </Route>
      <Route path={`${base}/objects`}>
        <ObjectsPage organization={organization} />
      </Route>
      <Route path={`${base}/objects/:object/:part?`}>
        {({ object, part }) => (
          <ObjectPage organization={organization} id={Number(object)} part={part} />
        )}
      </Route>
      <Route path={`${base}/records`}>
        <Redirect to={`${base}/records/trips`} replace />
      </Route>
      <Route path={`${base}/records/:kind`}>
        {({ kind }) => <RecordsPage organization={organization} kind={String(kind)} />}
      </Route>
      <Route path={`${base}/reports`}>
        <ReportsPage organization={organization} />
      </Route>
      <Route path={`${base}/places`}>
        <Redirect to={`${base}/places/geofences`} replace />
      </Route>
      <Route path={`${base}/places/:kind`}>
        {({ kind }) => <PlacesPage organization={organization} kind={String(kind)} />}
      </Route>
      <Route path={`${base}/places/:kind/:place`}>
        {({ kind, place }) => (
          <PlacePage
            key={`${kind} ${place}`}
            organization={organization}
            kind={String(kind)}
            place={String(place)}
          />
        )}
      </Route>
      <Route path={`${base}/attributes`}>
        {overseen(<AttributesPage organization={organization} />)}
      </Route>
      <Route path={`${base}/keys`}>
        <Redirect to={`${base}/keys/issued`} replace />
      </Route>
      <Route path={`${base}/keys/:part`}>
        {({ part }) => overseen(<KeysPage organization={organization} part={String(part)} />)}
      </Route>
      <Route path={`${base}/webhooks`}>
        {overseen(<WebhooksPage organization={organization} />)}
      </Route>
      <Route path={`${base}/shared`}>{overseen(<SharedPage organization={organization} />)}</Route>
      <Route path={`${base}/usage`}>
        <UsagePage organization={organization} />
      </Route>
      <Route path={`${base}/settings`}>
        {overseen(<SettingsPage organization={organization} />)}
      </Route>
      <Route path={`${base}/people`}>
        {overseen(<OrganizationPeople organization={organization} />)}
      </Route>
      <Route path={`${base}/audit`}>
        {overseen(<OrganizationAudit organization={organization} />)}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}
