import { t } from '../language/text.ts'
import type { IconName } from '../ui/Icon.tsx'

export type MenuItem = {
  to: string
  name: string
  icon: IconName
  /** Pages and settings below it, which a search finds. */
  parts?: (readonly [to: string, name: string])[]
}
export type MenuGroup = { name: string; items: MenuItem[] }

type Shown = {
  /** Null: no organization is shown. */
  organization: number | null
  /** Whether the roles of the person show everything of the organization, and of the deployment. */
  oversees: { organization: boolean; deployment: boolean }
}

/** The pages that a person may open. */
export function menuOf({ organization, oversees }: Shown): MenuGroup[] {
  const groups = [
    ...(organization === null ? [] : ofOrganization(organization, oversees.organization)),
    ...(oversees.deployment ? [OF_DEPLOYMENT] : []),
  ]
  return groups.filter(({ items }) => items.length > 0)
}

function ofOrganization(organization: number, oversees: boolean): MenuGroup[] {
  const at = `/organizations/${organization}`
  const overseen = (...items: MenuItem[]) => (oversees ? items : [])
  return [
    {
      name: t('Fleet'),
      items: [
        { to: `${at}/overview`, name: t('Overview'), icon: 'home' },
        { to: `${at}/map`, name: t('Map'), icon: 'map' },
        { to: `${at}/objects`, name: t('Vehicles'), icon: 'vehicle' },
        {
          to: `${at}/records`,
          name: t('Trips'),
          icon: 'trip',
          parts: [
            [`${at}/records/stops`, t('Stops')],
            [`${at}/records/visits`, t('Visits')],
            [`${at}/records/levels`, t('Levels')],
          ],
        },
        { to: `${at}/reports`, name: t('Reports'), icon: 'table' },
        {
          to: `${at}/places`,
          name: t('Places'),
          icon: 'place',
          parts: [
            [`${at}/places/geofences`, t('Geofences')],
            [`${at}/places/routes`, t('Routes')],
            [`${at}/places/sites`, t('Sites')],
          ],
        },
      ],
    },
    {
      name: t('Developers'),
      items: [
        ...overseen(
          {
            to: `${at}/keys`,
            name: t('API keys'),
            icon: 'key',
            parts: [
              [`${at}/keys/feed-tokens`, t('Feed tokens')],
              [`${at}/keys/disclosures`, t('Data access')],
            ],
          },
          { to: `${at}/webhooks`, name: t('Webhooks'), icon: 'send' },
          { to: `${at}/attributes`, name: t('Attributes'), icon: 'values' },
        ),
        { to: `${at}/usage`, name: t('Usage'), icon: 'chart' },
      ],
    },
    {
      name: t('Organization'),
      items: overseen(
        { to: `${at}/shared`, name: t('Shared'), icon: 'share' },
        { to: `${at}/settings`, name: t('Settings'), icon: 'settings' },
        { to: `${at}/people`, name: t('People'), icon: 'people' },
        { to: `${at}/audit`, name: t('Audit log'), icon: 'log' },
      ),
    },
  ]
}

const OF_DEPLOYMENT: MenuGroup = {
  name: t('Deployment'),
  items: [
    { to: '/organizations', name: t('Organizations'), icon: 'organization' },
    { to: '/routing', name: t('Routing'), icon: 'routing' },
    { to: '/people', name: t('People'), icon: 'people' },
    { to: '/audit', name: t('Audit log'), icon: 'log' },
  ],
}
