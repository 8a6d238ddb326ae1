import { useState } from 'react'
import { GRANT_RULES } from '../../../server/src/base/domain/credential.ts'
import type { Credential, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { GrantFields } from './GrantFields.tsx'
import { grantDraftOf, grantIn, isGranted } from './grant.ts'
import { useSaveKey } from './saving.ts'

type ChangeGrantProps = {
  organization: OrganizationSummary
  credential: Credential
  onClose: () => void
}

export function ChangeGrant({ organization, credential, onClose }: ChangeGrantProps) {
  const [draft, setDraft] = useState(() => grantDraftOf(credential))
  const isNeeded = organization.keys_need_purpose && credential.scenario === null
  const save = useSaveKey(
    organization.id,
    credential,
    t('The recipient of {{name}} was changed.', { name: credential.name }),
    onClose,
  )
  return (
    <FormDialog
      title={t('Change the recipient of {{name}}', { name: credential.name })}
      action={t('Save recipient')}
      saving={save}
      isReady={isGranted(draft) || !isNeeded}
      rules={GRANT_RULES}
      onSubmit={() => save.mutate(grantIn(draft))}
      onClose={onClose}
    >
      <GrantFields
        organization={organization}
        draft={draft}
        onChange={setDraft}
        isNeeded={isNeeded}
      />
      <p className="soft small">
        {t(
          'Applies to data read from now on. Earlier access stays listed under the old recipient and purpose.',
        )}
      </p>
    </FormDialog>
  )
}
