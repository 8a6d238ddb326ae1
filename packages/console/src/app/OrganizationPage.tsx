import type { ReactNode } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { useOrganization } from '../api/queries.ts'
import { useRights } from '../api/rights.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { AttributesPage } from '../attributes/AttributesPage.tsx'
import { OrganizationAudit } from '../audit/AuditPage.tsx'
import { t } from '../language/text.ts'
import { ObjectPage } from '../objects/ObjectPage.tsx'
import { ObjectsPage } from '../objects/ObjectsPage.tsx'
import { MapPage } from '../organizations/MapPage.tsx'
import { SubscriptionBadge } from '../organizations/SubscriptionBadge.tsx'
import { OrganizationPeople } from '../people/PeoplePage.tsx'
import { PlacePage } from '../places/PlacePage.tsx'
import { PlacesPage } from '../places/PlacesPage.tsx'
import { RecordsPage } from '../records/RecordsPage.tsx'
import { ReportsPage } from '../reports/ReportsPage.tsx'
import { SettingsPage } from '../settings/SettingsPage.tsx'
import { Crumb } from '../ui/Crumb.tsx'
import { MayChangeHere } from '../ui/changing.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { NotFound } from '../ui/state/NotFound.tsx'
import { type Tab, Tabs } from '../ui/Tabs.tsx'
import { UsagePage } from '../usage/UsagePage.tsx'
import { WebhooksPage } from '../webhooks/WebhooksPage.tsx'
import { KeysPage } from './KeysPage.tsx'
import './OrganizationPage.css'

export function OrganizationPage({ organization: id }: { organization: number }) {
  const organization = useOrganization(id)
  const rights = useRights(id)
  return (
    <>
      {organization.data === undefined && <h1 className="visually-hidden">{t('Organization')}</h1>}
      <Loaded query={organization} lines={5}>
        {(each) => (
          <MayChangeHere value={rights.changes}>
            <Head organization={each} oversees={rights.oversees} />
            <Pages organization={each} oversees={rights.oversees} />
          </MayChangeHere>
        )}
      </Loaded>
    </>
  )
}

type PartProps = { organization: OrganizationSummary; oversees: boolean }

function Head({ organization: { id, name, subscription }, oversees }: PartProps) {
  const base = `/organizations/${id}`
  const overseen = (tab: Tab) => (oversees ? [tab] : [])
  return (
    <div className="stack-small">
      <div>
        <Crumb to="/">{t('Organizations')}</Crumb>
        <div className="row">
          <h1>{name}</h1>
          <SubscriptionBadge subscription={subscription} />
        </div>
      </div>
      <Tabs
        label={t('Organization')}
        items={[
          [`${base}/map`, t('Map')],
          [`${base}/objects`, t('Objects')],
          [`${base}/records`, t('Trips and stops')],
          [`${base}/reports`, t('Reports')],
          [`${base}/places`, t('Places')],
          ...overseen([`${base}/attributes`, t('Attributes')]),
          ...overseen([`${base}/keys`, t('API keys')]),
          ...overseen([`${base}/webhooks`, t('Webhooks')]),
          [`${base}/usage`, t('Usage')],
          ...overseen([`${base}/settings`, t('Settings')]),
          ...overseen([`${base}/people`, t('People')]),
          ...overseen([`${base}/audit`, t('Audit log')]),
        ]}
      />
    </div>
  )
}

function Pages({ organization, oversees }: PartProps) {
  const base = `/organizations/${organization.id}`
  const overseen = (page: ReactNode) => (oversees ? page : <NotFound />)
  return (
    <Switch>
      <Route path={base}>
        <Redirect to={`${base}/map`} replace />
      </Route>
      <Route path={`${base}/map`}>
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
