use super::SchemaName;

#[test]
fn each_table_is_named_with_its_schema_and_nothing_else_is() {
    let check = |schema: Option<&str>, sql: &str, expect: &str| {
        assert_eq!(SchemaName::new(schema).qualify(sql), expect);
    };
    let ada = Some("holm_ada");
    check(ada, "SELECT 1", "SELECT 1");
    check(ada, "SELECT * FROM holm_runs r", "SELECT * FROM \"holm_ada\".holm_runs r");
    check(ada, "(holm_heads.agent)", "(\"holm_ada\".holm_heads.agent)");
    check(ada, "FROM holmdb_leases, holm_tags", "FROM holmdb_leases, \"holm_ada\".holm_tags");
    check(ada, "WHERE schema = :schema", "WHERE schema = 'holm_ada'");
    check(Some("a.holm_b"), "s = :schema", "s = 'a.holm_b'");
    check(None, "SELECT * FROM holm_runs WHERE s = :schema", "SELECT * FROM holm_runs WHERE s = ''");
}
