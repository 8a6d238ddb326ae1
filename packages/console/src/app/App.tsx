import { Redirect, Route, Router, Switch } from 'wouter'
import { AuditPage } from '../audit/AuditPage.tsx'
import { OrganizationList } from '../organizations/OrganizationList.tsx'
import { PeoplePage } from '../people/PeoplePage.tsx'
import { RoutingPage } from '../routing/RoutingPage.tsx'
import { AcceptInvitation } from '../sign-in/AcceptInvitation.tsx'
import { Gate } from '../sign-in/Gate.tsx'
import { useShownPath, useShownSearch } from '../ui/page/navigation.ts'
import { NotFound } from '../ui/state/NotFound.tsx'
import { Frame } from './Frame.tsx'
import { LeaveQuestion } from './LeaveQuestion.tsx'
import { OrganizationPage } from './OrganizationPage.tsx'

export function App() {
  return (
    <Router hook={useShownPath} searchHook={useShownSearch}>
      <Gate>
        <Frame>
          <Switch>
            <Route path="/">
              <OrganizationList />
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
              <Redirect to="/" replace />
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
        </Frame>
      </Gate>
      <LeaveQuestion />
    </Router>
  )
}
