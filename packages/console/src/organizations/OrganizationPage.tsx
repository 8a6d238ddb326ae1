import { Link, Redirect, Route, Switch } from 'wouter'
import { useOrganization } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { NotFound } from '../app/NotFound.tsx'
import { AttributesPage } from '../attributes/AttributesPage.tsx'
import { OrganizationAudit } from '../audit/AuditPage.tsx'
import { KeysPage } from '../keys/KeysPage.tsx'
import { ObjectPage } from '../objects/ObjectPage.tsx'
import { ObjectsPage } from '../objects/ObjectsPage.tsx'
import { PlacePage } from '../places/PlacePage.tsx'
import { PlacesPage } from '../places/PlacesPage.tsx'
import { RecordsPage } from '../records/RecordsPage.tsx'
import { SettingsPage } from '../settings/SettingsPage.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { UsagePage } from '../usage/UsagePage.tsx'
import { WebhooksPage } from '../webhooks/WebhooksPage.tsx'
import { MapPage } from './MapPage.tsx'
import { SubscriptionBadge } from './SubscriptionBadge.tsx'
import './OrganizationPage.css'

export function OrganizationPage({ organization: id }: { organization: number }) {
  const organization = useOrganization(id)
  return (
    <>
      {organization.data === undefined && <h1 className="visually-hidden">Organization</h1>}
      <Loaded query={organization} lines={5} what="organization">
        {(each) => (
          <>
            <Head organization={each} />
            <Pages organization={each} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Head({ organization: { id, name, subscription } }: { organization: OrganizationSummary }) {
  const base = `/organizations/${id}`
  return (
    <div className="stack-small">
      <div>
        <Link href="/" className="crumb">
          <Icon name="back" size={14} />
          Organizations
        </Link>
        <div className="row">
          <h1>{name}</h1>
          <SubscriptionBadge subscription={subscription} />
        </div>
      </div>
      <Tabs
        label="Organization"
        items={[
          [`${base}/map`, 'Map'],
          [`${base}/objects`, 'Objects'],
          [`${base}/records`, 'Trips and stops'],
          [`${base}/places`, 'Places'],
          [`${base}/attributes`, 'Attributes'],
          [`${base}/keys`, 'API keys'],
          [`${base}/webhooks`, 'Webhooks'],
          [`${base}/usage`, 'Usage'],
          [`${base}/settings`, 'Settings'],
          [`${base}/audit`, 'Audit log'],
        ]}
      />
    </div>
  )
}

function Pages({ organization }: { organization: OrganizationSummary }) {
  const base = `/organizations/${organization.id}`
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
      <Route path={`${base}/objects/:object`}>
        {({ object }) => <ObjectPage organization={organization} id={Number(object)} />}
      </Route>
      <Route path={`${base}/records`}>
        <Redirect to={`${base}/records/trips`} replace />
      </Route>
      <Route path={`${base}/records/:kind`}>
        {({ kind }) => <RecordsPage organization={organization} kind={String(kind)} />}
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
        <AttributesPage organization={organization} />
      </Route>
      <Route path={`${base}/keys`}>
        <Redirect to={`${base}/keys/issued`} replace />
      </Route>
      <Route path={`${base}/keys/:part`}>
        {({ part }) => <KeysPage organization={organization} part={String(part)} />}
      </Route>
      <Route path={`${base}/webhooks`}>
        <WebhooksPage organization={organization} />
      </Route>
      <Route path={`${base}/usage`}>
        <UsagePage organization={organization} />
      </Route>
      <Route path={`${base}/settings`}>
        <SettingsPage organization={organization} />
      </Route>
      <Route path={`${base}/audit`}>
        <OrganizationAudit organization={organization} />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}
