import { Link } from 'wouter'
import { useOrganization } from '../api/queries.ts'
import { useHasSeveral } from '../api/rights.ts'
import { t } from '../language/text.ts'
import { Icon } from '../ui/Icon.tsx'
import { LateMenu } from '../ui/page/LateMenu.tsx'
import { lazily } from '../ui/page/lazily.ts'
import { SubscriptionBadge } from './SubscriptionBadge.tsx'
import './OrganizationSwitch.css'

const OrganizationMenu = lazily(() => import('./OrganizationMenu.tsx'), 'OrganizationMenu')

/** The organization of the page, in the header. It leads to others, if the person has several. */
export function OrganizationSwitch({ organization }: { organization: number | null }) {
  const hasSeveral = useHasSeveral()
  return (
    <div className="organization-switch">
      {!hasSeveral ? (
        organization !== null && (
          <Link href={`/organizations/${organization}`}>
            <Named organization={organization} />
          </Link>
        )
      ) : (
        <LateMenu label={<SwitchLabel organization={organization} />}>
          <OrganizationMenu shown={organization} />
        </LateMenu>
      )}
    </div>
  )
}

export function SwitchLabel({ organization }: { organization: number | null }) {
  return (
    <>
      {organization === null ? t('Choose an organization') : <Named organization={organization} />}
      <Icon name="down" size={14} />
    </>
  )
}

function Named({ organization }: { organization: number }) {
  const { data } = useOrganization(organization)
  return (
    <>
      <span className="organization-name">{data?.name ?? t('Organization')}</span>
      {data !== undefined && data.subscription !== 'active' && (
        <SubscriptionBadge subscription={data.subscription} />
      )}
    </>
  )
}
