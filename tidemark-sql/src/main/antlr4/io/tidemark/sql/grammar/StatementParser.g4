// Statements of pipeline files and of the session. The text is parsed one statement at a time, without its semicolon.
// Queries and expressions are not parsed here: they are runs of tokens whose text goes to the engine verbatim. Rules that
// match one token `.` and then call a method of the base class take such a run by hand; what follows them is decided by
// the next token alone, so the grammar stays free of long lookahead and parsing is linear.
parser grammar StatementParser;

options {
    tokenVocab = StatementLexer;
    superClass = StatementParserBase;
}

statement
    : (
        createStatement
        | replaceTable
        | applyChanges
        | setStatement
        | insertStatement
        | updateStatement
        | deleteStatement
        | mergeStatement
        | truncateStatement
        | commentStatement
        | dropStatement
        | alterTable
        | showStatement
        | describeStatement
        | optimizeStatement
        | vacuumStatement
        | restoreStatement
        | unsupportedStatement
        | queryStatement
    ) EOF
    ;

// ---- CREATE

createStatement
    : CREATE (OR (replace = REPLACE | refresh = REFRESH))? createObject
    ;

replaceTable: REPLACE TABLE name = qualifiedName columnDefinitions? tableClause* (AS query)?;

createObject
    : STREAMING LIVE? TABLE ifNotExists? name = qualifiedName columnDefinitions? tableClause* streamingTableBody? # createStreamingTable
    | MATERIALIZED VIEW ifNotExists? name = qualifiedName columnDefinitions? tableClause* AS query # createMaterializedView
    | (TEMPORARY | TEMP) STREAMING? LIVE? VIEW name = qualifiedName viewColumns? viewClause* AS query # createTemporaryView
    | VIEW ifNotExists? name = qualifiedName viewColumns? viewClause* AS query # createView
    | TABLE ifNotExists? name = qualifiedName columnDefinitions? tableClause* (AS query)? # createTable
    | FLOW name = qualifiedName viewClause* AS flowBody # createFlow
    | LIVE (TABLE | VIEW) { refuseLive(); } # createLive
    ;

ifNotExists: IF NOT EXISTS;

streamingTableBody
    : AS query
    | FLOW AUTO CDC ONCE? FROM source cdcClause*
    ;

tableClause
    : COMMENT STRING
    | TBLPROPERTIES properties
    | CLUSTER BY (AUTO | names)
    | PARTITIONED BY names
    | USING DELTA
    | (USING | LOCATION | OPTIONS | SCHEDULE | TRIGGER | ROW | DEFAULT | WITH) { refuseClause(); }
    ;

viewClause
    : COMMENT STRING
    | TBLPROPERTIES properties
    ;

properties: LPAREN property (COMMA property)* RPAREN;
property: propertyKey EQ? propertyValue;
propertyKey: STRING | identifier (DOT identifier)*;
propertyValue: STRING | MINUS? (INTEGER | NUMBER) | identifier;

viewColumns: LPAREN viewColumn (COMMA viewColumn)* RPAREN;
viewColumn: identifier (COMMENT STRING)?;

columnDefinitions: LPAREN tableElement (COMMA tableElement)* RPAREN;

tableElement
    : CONSTRAINT constraint = identifier EXPECT parenthesized (ON VIOLATION (DROP | IDENTIFIER) (UPDATE | ROW))? # expectation
    | (CONSTRAINT identifier)? (PRIMARY | FOREIGN | CHECK) KEY? LPAREN { skipElement(); } # tableConstraint
    | column = identifier COLON? dataType columnOption* # columnElement
    ;

columnOption
    : NOT NULL # notNull
    | COMMENT STRING # columnComment
    | (DEFAULT | GENERATED | PRIMARY | FOREIGN | CONSTRAINT | CHECK | MASK) { skipElement(); } # unsupportedOption
    ;

parenthesized: LPAREN { skipToClosing(); };

// ---- types

singleType: dataType EOF;
schemaText: columnElements EOF;
columnElements: tableElement (COMMA tableElement)*;

dataType
    : STRUCT LESS (structField (COMMA structField)*)? GREATER # structType
    | ARRAY LESS { enterType(); } dataType GREATER # arrayType
    | MAP LESS { enterType(); } dataType COMMA dataType GREATER # mapType
    | identifier (LPAREN INTEGER (COMMA INTEGER)* RPAREN)? # scalarType
    ;

structField: identifier COLON? { enterType(); } dataType (NOT NULL)? (COMMENT STRING)?;

// ---- flows

flowBody
    : INSERT ONCE? INTO ONCE? TABLE? target = qualifiedName ({isNameList()}? names)? (BY NAME)? query # insertFlow
    | AUTO CDC ONCE? INTO target = qualifiedName FROM source cdcClause* # autoCdcFlow
    ;

applyChanges: APPLY CHANGES ONCE? INTO target = qualifiedName FROM source cdcClause*;

source: . { takeSource(); };

cdcClause
    : KEYS (names | LPAREN RPAREN) # keysClause
    | IGNORE NULL UPDATES (ON columnSelection)? # ignoreNullClause
    | APPLY AS (DELETE | TRUNCATE) WHEN expression # applyAsClause
    | SYSTEM SEQUENCE BY expression # systemSequenceClause
    | SEQUENCE BY expression # sequenceClause
    | COLUMNS columnSelection # columnsClause
    | COLUMNS TO UPDATE identifier # columnsToUpdateClause
    | STORED AS (SCD TYPE INTEGER | BITEMPORAL) # storedAsClause
    | TRACK HISTORY ON columnSelection # trackHistoryClause
    | WITH what = IDENTIFIER parenthesized # versionClause
    ;

columnSelection
    : STAR (EXCEPT names)?
    | names (EXCEPT names)?
    ;

names
    : LPAREN identifier (COMMA identifier)* RPAREN
    | identifier (COMMA identifier)*
    ;

expression: . { takeExpression(); };

// ---- the session

setStatement: SET (settingKey (EQ settingValue)?)?;
settingKey: STRING | identifier ((DOT | MINUS) identifier)*;
settingValue: (~SEMICOLON)+;

insertStatement
    : INSERT (INTO | OVERWRITE) TABLE? target = qualifiedName ({isNameList()}? names)? (BY NAME)? query
    ;

updateStatement
    : UPDATE target = qualifiedName tableAlias? SET assignment (COMMA assignment)* (WHERE expression)?
    ;

deleteStatement: DELETE FROM target = qualifiedName tableAlias? (WHERE expression)?;

mergeStatement
    : MERGE INTO target = qualifiedName tableAlias? USING mergeSource ON expression mergeClause+
    ;

mergeSource: . { takeMergeSource(); };

mergeClause
    : WHEN MATCHED (AND expression)? THEN (mergeUpdate | DELETE) # matchedClause
    | WHEN NOT MATCHED (BY (TARGET | SOURCE))? (AND expression)? THEN (mergeUpdate | DELETE | mergeInsert) # notMatchedClause
    ;

mergeUpdate: UPDATE SET (STAR | assignment (COMMA assignment)*);

mergeInsert: INSERT (STAR | columnNames VALUES LPAREN expression (COMMA expression)* RPAREN);

columnNames: LPAREN identifier (COMMA identifier)* RPAREN;

assignment: identifier (DOT identifier)* EQ expression;

tableAlias: AS identifier | {isAlias()}? identifier;

truncateStatement: TRUNCATE TABLE name = qualifiedName;

commentStatement: COMMENT ON TABLE name = qualifiedName IS (STRING | NULL);

dropStatement: DROP (TABLE | MATERIALIZED? VIEW) (IF EXISTS)? name = qualifiedName;

alterTable
    : ALTER TABLE name = qualifiedName (
        SET TBLPROPERTIES properties
        | UNSET TBLPROPERTIES (IF EXISTS)? LPAREN propertyKey (COMMA propertyKey)* RPAREN
        | ADD (COLUMN | COLUMNS) (columnDefinitions | columnElements)
        | ALTER COLUMN column = identifier columnChange
        | (ADD | DROP | ALTER | REPLACE | CLUSTER | SET | UNSET | IDENTIFIER) { refuseClause(); }
    )
    ;

columnChange
    : TYPE dataType
    | COMMENT STRING
    | SET NOT NULL
    | DROP NOT NULL
    | (SET | DROP) DEFAULT { refuseClause(); }
    ;

showStatement
    : SHOW (
        TABLES ((IN | FROM) identifier)?
        | VIEWS ((IN | FROM) identifier)?
        | (SCHEMAS | DATABASES)
        | TBLPROPERTIES qualifiedName
        | COLUMNS (IN | FROM) qualifiedName
    )
    ;

describeStatement
    : (DESCRIBE | DESC) (
        HISTORY qualifiedName (LIMIT INTEGER)?
        | DETAIL qualifiedName
        | TABLE? EXTENDED? qualifiedName
    )
    ;

unsupportedStatement
    : REFRESH query?
    ;

// ---- maintenance; the words behind the name are no keywords, so that columns may bear them

optimizeStatement: OPTIMIZE name = qualifiedName (WHERE expression)? words?;
vacuumStatement: VACUUM name = qualifiedName words?;
restoreStatement: RESTORE TABLE? name = qualifiedName TO words;
words: (~SEMICOLON)+;

queryStatement: (SELECT | WITH | FROM | VALUES | TABLE | LPAREN) query?;

query: (~SEMICOLON)+;

// ---- names

qualifiedName: identifier (DOT identifier)*;

identifier
    : IDENTIFIER
    | BACKQUOTED
    | word
    ;

word
    : ADD | ALTER | AND | APPLY | ARRAY | AS | AUTO | BITEMPORAL | BY | CDC | CHANGES | CHECK | CLUSTER | COLUMN
    | COLUMNS | COMMENT | CONSTRAINT | CREATE | DATABASES | DEFAULT | DELETE | DELTA | DESC | DESCRIBE | DETAIL | DROP
    | EXCEPT | EXISTS | EXPECT | EXTENDED | FLOW | FOREIGN | FROM | GENERATED | HISTORY | IF | IGNORE | IN | INSERT
    | INTO | IS | KEY | KEYS | LIMIT | LIVE | LOCATION | MAP | MASK | MATCHED | MATERIALIZED | MERGE | NAME | NOT
    | NULL | ON | ONCE | OPTIMIZE | OPTIONS | OR | OVERWRITE | PARTITIONED | PRIMARY | REFRESH | REPLACE | RESTORE
    | ROW | SCD | SCHEDULE | SCHEMAS | SELECT | SEQUENCE | SET | SHOW | SNAPSHOT | SOURCE | STORED | STREAM
    | STREAMING | STRUCT | SYSTEM | TABLE | TABLES | TARGET | TBLPROPERTIES | TEMP | TEMPORARY | THEN | TO | TRACK
    | TRIGGER | TRUNCATE | TYPE | UNSET | UPDATE | UPDATES | USING | VACUUM | VALUES | VIEW | VIEWS | VIOLATION | WHEN
    | WHERE | WITH
    ;
