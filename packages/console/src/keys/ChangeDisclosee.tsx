import { useState } from 'react'
import { DISCLOSEE_RULES } from '../../../server/src/base/domain/credential.ts'
import type { Credential, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { DiscloseeFields } from './DiscloseeFields.tsx'
import { discloseeDraftOf, discloseeIn, isDiscloseeReady } from './disclosee.ts'
import { useSaveKey } from './use-save-key.ts'

type ChangeDiscloseeProps = {
  organization: OrganizationSummary
  credential: Credential
  onClose: () => void
}

export function ChangeDisclosee({ organization, credential, onClose }: ChangeDiscloseeProps) {
  const [draft, setDraft] = useState(() => discloseeDraftOf(credential))
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
      isReady={isDiscloseeReady(draft) || !isNeeded}
      rules={DISCLOSEE_RULES}
      onSubmit={() => save.mutate(discloseeIn(draft))}
      onClose={onClose}
    >
      <DiscloseeFields
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
