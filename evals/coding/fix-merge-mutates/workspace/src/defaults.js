export const defaults = {
  timeout: 5000,
  headers: { accept: "application/json" },
  retry: { attempts: 3, statuses: [502, 503, 504] },
};
