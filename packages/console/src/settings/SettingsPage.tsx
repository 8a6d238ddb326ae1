import { useRights } from '../api/rights.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { useTitle } from '../ui/page/title.ts'
import { DeleteOrganization } from './DeleteOrganization.tsx'
import { OrganizationSettings } from './OrganizationSettings.tsx'

export function SettingsPage({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Settings'), organization.name)
  const { changes: operates } = useRights(null)
  return (
    <>
      <OrganizationSettings organization={organization} />
      {operates && <DeleteOrganization organization={organization} />}
    </>
  )
}
