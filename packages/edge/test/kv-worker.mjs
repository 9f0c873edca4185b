// A namespace of Workers KV as workerd speaks to it, in memory.

const values = new Map();

export default {
  async fetch(request) {
    const url = new URL(request.url);
    const key = decodeURIComponent(url.pathname.slice(1));
    if (request.method === 'PUT') {
      values.set(key, await request.text());
      return new Response(null, { status: 200 });
    }
    if (key === '') {
      const prefix = url.searchParams.get('prefix') ?? '';
      const keys = [...values.keys()].filter((name) => name.startsWith(prefix)).map((name) => ({ name }));
      return Response.json({ keys, list_complete: true });
    }
    return values.has(key) ? new Response(values.get(key)) : new Response(null, { status: 404 });
  },
};
