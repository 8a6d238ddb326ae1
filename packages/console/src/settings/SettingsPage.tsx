import { useRights } from '../api/rights.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { CredentialsCard } from '../keys/CredentialsCard.tsx'
import { t } from '../language/text.ts'
import { useTitle } from '../ui/page/title.ts'
import { DeleteOrganization } from './DeleteOrganization.tsx'
import { FeedLines } from './FeedLines.tsx'
import { OrganizationSettings } from './OrganizationSettings.tsx'

export function SettingsPage({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Settings'), organization.name)
  const { changes: operates } = useRights(null)
  return (
    <>
      <OrganizationSettings organization={organization} />
      <CredentialsCard
        organization={organization}
        kind="feed-tokens"
        title={t('Feed tokens')}
        lead={t(
          'A feed token lets trackers, phones and tracking servers send positions. It reads nothing.',
        )}
        empty={t(
          'The organization has no token of its own. Issue one for its trackers: it comes with lines to configure them. Positions that come by a token of the deployment need none.',
        )}
        lines={(token) => <FeedLines token={token} />}
      />
      {operates && <DeleteOrganization organization={organization} />}
    </>
  )
}
