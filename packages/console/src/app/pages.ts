import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

/** The pages, each loaded when it is first opened: most people need few of them. */

export const AcceptInvitation = page(
  () => import('../sign-in/AcceptInvitation.tsx'),
  'AcceptInvitation',
)
export const AttributesPage = page(
  () => import('../attributes/AttributesPage.tsx'),
  'AttributesPage',
)
export const AuditPage = page(() => import('../audit/AuditPage.tsx'), 'AuditPage')
export const KeysPage = page(() => import('./KeysPage.tsx'), 'KeysPage')
export const MapPage = page(() => import('../organizations/MapPage.tsx'), 'MapPage')
export const ObjectPage = page(() => import('../objects/ObjectPage.tsx'), 'ObjectPage')
export const ObjectsPage = page(() => import('../objects/ObjectsPage.tsx'), 'ObjectsPage')
export const OrganizationAudit = page(() => import('../audit/AuditPage.tsx'), 'OrganizationAudit')
export const OrganizationList = page(
  () => import('../organizations/OrganizationList.tsx'),
  'OrganizationList',
)
export const OrganizationPeople = page(
  () => import('../people/PeoplePage.tsx'),
  'OrganizationPeople',
)
export const OverviewPage = page(() => import('../attention/OverviewPage.tsx'), 'OverviewPage')
export const PeoplePage = page(() => import('../people/PeoplePage.tsx'), 'PeoplePage')
export const PlacePage = page(() => import('../places/PlacePage.tsx'), 'PlacePage')
export const PlacesPage = page(() => import('../places/PlacesPage.tsx'), 'PlacesPage')
export const RecordsPage = page(() => import('../records/RecordsPage.tsx'), 'RecordsPage')
export const ReportsPage = page(() => import('../reports/ReportsPage.tsx'), 'ReportsPage')
export const RoutingPage = page(() => import('../routing/RoutingPage.tsx'), 'RoutingPage')
export const SettingsPage = page(() => import('../settings/SettingsPage.tsx'), 'SettingsPage')
export const UsagePage = page(() => import('../usage/UsagePage.tsx'), 'UsagePage')
export const WebhooksPage = page(() => import('../webhooks/WebhooksPage.tsx'), 'WebhooksPage')

// biome-ignore lint/suspicious/noExplicitAny: the properties are those of the page
type Pages<Name extends string> = { [name in Name]: ComponentType<any> }

function page<Module extends Pages<Name>, Name extends string>(
  load: () => Promise<Module>,
  name: Name,
): LazyExoticComponent<Module[Name]> {
  return lazy(async () => ({ default: (await load())[name] }))
}
