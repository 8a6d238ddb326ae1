import { useRights } from '../api/rights.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { CredentialsCard } from '../keys/CredentialsCard.tsx'
import { useTitle } from '../ui/page/title.ts'
import { DeleteOrganization } from './DeleteOrganization.tsx'
import { FeedLines } from './FeedLines.tsx'
import { OrganizationSettings } from './OrganizationSettings.tsx'

export function SettingsPage({ organization }: { organization: OrganizationSummary }) {
  useTitle('Settings', organization.name)
  const { changes: operates } = useRights(null)
  return (
    <>
      <OrganizationSettings organization={organization} />
      <CredentialsCard
        organization={organization}
        kind="feed-tokens"
        title="Feed tokens"
        lead="A feed token lets trackers, phones and tracking servers send positions. It reads nothing."
        empty="No tracker can send positions yet. Issue a token. It comes with lines to configure trackers."
        lines={(token) => <FeedLines token={token} />}
      />
      {operates && <DeleteOrganization organization={organization} />}
    </>
  )
}
