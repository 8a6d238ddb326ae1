import { Suspense } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { useOrganizations } from '../api/queries.ts'
import { Gate } from '../sign-in/Gate.tsx'
import { Late } from '../ui/page/Late.tsx'
import { useIsAsked, useShownPath, useShownSearch } from '../ui/page/navigation.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { NotFound } from '../ui/state/NotFound.tsx'
import { Frame } from './Frame.tsx'
import { Loading, PageFailure } from './Loading.tsx'
import { OrganizationPage } from './OrganizationPage.tsx'
import {
  AcceptInvitation,
  AuditPage,
  LeaveQuestion,
  OrganizationList,
  PeoplePage,
  RoutingPage,
} from './pages.ts'

export function App() {
  const isAsked = useIsAsked()
  return (
    <Router hook={useShownPath} searchHook={useShownSearch}>
      <Gate>
        <Frame>
          <PageFailure>
            <Suspense fallback={<Loading />}>
              <Pages />
            </Suspense>
          </PageFailure>
        </Frame>
      </Gate>
      <Late>{isAsked && <LeaveQuestion />}</Late>
    </Router>
  )
}

function Pages() {
  return (
    <Switch>
      <Route path="/">
        <Start />
      </Route>
      <Route path="/routing">
        <Redirect to="/routing/waiting" replace />
      </Route>
      <Route path="/routing/:part">{({ part }) => <RoutingPage part={part} />}</Route>
      <Route path="/people">
        <PeoplePage />
      </Route>
      <Route path="/audit">
        <AuditPage />
      </Route>
      <Route path="/organizations">
        <OrganizationList />
      </Route>
      <Route path="/organizations/:organization/*?">
        {({ organization }) => (
          <OrganizationPage key={organization} organization={Number(organization)} />
        )}
      </Route>
      <Route path="/setup">
        <AcceptInvitation />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

/** Leads to the only organization, or to the list of several. */
function Start() {
  const organizations = useOrganizations('')
  return (
    <Loaded query={organizations}>
      {({ items: [first, second] }) => {
        const isOne = first !== undefined && second === undefined
        return <Redirect to={isOne ? `/organizations/${first.id}` : '/organizations'} replace />
      }}
    </Loaded>
  )
}
