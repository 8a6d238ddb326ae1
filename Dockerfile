# Node.js runs the TypeScript source directly. One stage installs the packages of the lockfile, one builds the
# console, and the last has neither npm's cache nor a build tool.
FROM node:24-slim AS packages
WORKDIR /fleetgate
COPY package.json package-lock.json ./
COPY packages/server/package.json packages/server/
COPY packages/client/package.json packages/client/
# The optional packages are Node.js for a checkout; the image has its own.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-slim AS console
WORKDIR /fleetgate
COPY package.json package-lock.json tsconfig.json ./
COPY packages packages
RUN npm ci --ignore-scripts && npm run build -w packages/console

FROM node:24-slim
WORKDIR /fleetgate
COPY --from=packages /fleetgate ./
COPY LICENSE ./
COPY packages/server packages/server
COPY packages/client packages/client
COPY --from=console /fleetgate/packages/console/dist packages/console/dist
RUN install -d -o node -g node -m 0700 /var/lib/fleetgate
USER node

# The file system may be read-only, except /tmp, which caches the compiled source, and the data folder, which
# a deployment on PostgreSQL and Redis does not have.
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/tmp/compiled \
    FLEETGATE_DATA=/var/lib/fleetgate \
    FLEETGATE_HOST=0.0.0.0 \
    FLEETGATE_ADMIN_HOST=0.0.0.0
VOLUME /var/lib/fleetgate
# The API, the feed, and the admin listener (console, metrics, readiness), which belongs to the operator's
# network only.
EXPOSE 7070 7071 7072

HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.FLEETGATE_ADMIN_PORT || 7072}/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Ignores SIGUSR1 from the first instruction on; the program itself does so after its start.
ENTRYPOINT ["node", "--disable-sigusr1", "/fleetgate/packages/server/bin/fleetgate.js"]
CMD ["serve"]
