import { lazily } from '../ui/page/lazily.ts'

/** The pages, each loaded when it is first opened: most people need few of them. */

export const AcceptInvitation = lazily(
  () => import('../sign-in/AcceptInvitation.tsx'),
  'AcceptInvitation',
)
export const AttributesPage = lazily(
  () => import('../attributes/AttributesPage.tsx'),
  'AttributesPage',
)
export const AuditPage = lazily(() => import('../audit/AuditPage.tsx'), 'AuditPage')
export const KeysPage = lazily(() => import('./KeysPage.tsx'), 'KeysPage')
export const LeaveQuestion = lazily(() => import('./LeaveQuestion.tsx'), 'LeaveQuestion')
export const MapPage = lazily(() => import('../organizations/MapPage.tsx'), 'MapPage')
export const ObjectPage = lazily(() => import('../objects/ObjectPage.tsx'), 'ObjectPage')
export const ObjectsPage = lazily(() => import('../objects/ObjectsPage.tsx'), 'ObjectsPage')
export const OrganizationAudit = lazily(() => import('../audit/AuditPage.tsx'), 'OrganizationAudit')
export const OrganizationList = lazily(
  () => import('../organizations/OrganizationList.tsx'),
  'OrganizationList',
)
export const OrganizationPeople = lazily(
  () => import('../people/PeoplePage.tsx'),
  'OrganizationPeople',
)
export const OverviewPage = lazily(() => import('../attention/OverviewPage.tsx'), 'OverviewPage')
export const PeoplePage = lazily(() => import('../people/PeoplePage.tsx'), 'PeoplePage')
export const PlacePage = lazily(() => import('../places/PlacePage.tsx'), 'PlacePage')
export const PlacesPage = lazily(() => import('../places/PlacesPage.tsx'), 'PlacesPage')
export const RecordsPage = lazily(() => import('../records/RecordsPage.tsx'), 'RecordsPage')
export const ReportsPage = lazily(() => import('../reports/ReportsPage.tsx'), 'ReportsPage')
export const RoutingPage = lazily(() => import('../routing/RoutingPage.tsx'), 'RoutingPage')
export const SettingsPage = lazily(() => import('../settings/SettingsPage.tsx'), 'SettingsPage')
export const SharedPage = lazily(() => import('../sharing/SharedPage.tsx'), 'SharedPage')
export const UsagePage = lazily(() => import('../usage/UsagePage.tsx'), 'UsagePage')
export const WebhooksPage = lazily(() => import('../webhooks/WebhooksPage.tsx'), 'WebhooksPage')
